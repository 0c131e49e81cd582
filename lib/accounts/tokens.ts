import { randomUUID } from 'node:crypto';
import { issuingKey } from '../access/credential-key.ts';
import { onlyOrganizationOf } from '../access/principal.ts';
import type { AccountContext, CallerContext } from '../access/request-context.ts';
import { ApiError } from '../core/errors.ts';
import { dayMs } from '../core/time.ts';
import { createCredential, tokenPrefix } from '../crypto/credentials.ts';
import { isNew, isThere } from '../table/expressions.ts';
import { ranges } from '../table/keys.ts';
import { at, find, list } from '../table/read.ts';
import { type TokenRecord, tokenRecord } from '../table/records/credentials.ts';
import { membershipRecord, organizationRecord } from '../table/records/organization.ts';
import { asRevocation } from '../table/revocations.ts';
import { put, remove, transact, type Write } from '../table/write.ts';

/** The user's valid tokens, newest first. Skips expired ones, because DynamoDB removes them late. */
export async function listTokens(userId: string): Promise<TokenRecord[]> {
  const now = Date.now();
  return (await list(tokenRecord, ranges.tokens(userId)))
    .filter(({ expiryDate }) => expiryDate === null || Date.parse(expiryDate) > now)
    .sort((a, b) => b.createdAt.localeCompare(a.createdAt) || a.id.localeCompare(b.id));
}

export async function listOwnTokens({ principal }: AccountContext): Promise<TokenRecord[]> {
  const boundTo = onlyOrganizationOf(principal);
  const tokens = await listTokens(principal.userId);
  return tokens.filter(({ organizationId }) => boundTo === undefined || organizationId === boundTo);
}

/** Revokes one of the caller's own tokens immediately. @throws token_not_found */
export async function revokeToken(context: AccountContext, tokenId: string): Promise<void> {
  const { userId } = context.principal;
  const listingMemberships = list(membershipRecord, ranges.memberships(userId));
  const [tokens, memberships] = await Promise.all([listOwnTokens(context), listingMemberships]);
  const token = tokens.find(({ id }) => id === tokenId);
  if (token === undefined) throw tokenNotFound();
  const membership = memberships.find(({ organizationId }) => organizationId === token.organizationId);
  await endToken(context, token, membership);
}

/** Revokes the user's token that the request was made with. @throws token_not_found for a request with a session */
export async function revokeTokenOfUser(context: CallerContext): Promise<void> {
  const { userId, credential } = context.principal;
  if (credential.method !== 'token') {
    throw new ApiError('token_not_found', 'This request was made with a session, not with a token. Log out instead.');
  }
  const { token } = credential;
  const { organizationId } = token;
  const membership = organizationId === null ? undefined : await find(at(membershipRecord, userId, organizationId));
  await endToken(context, token, membership);
}

async function endToken(
  context: CallerContext,
  { id, name, hash, userId, organizationId }: TokenRecord,
  membership: { orgSlug: string } | undefined,
): Promise<void> {
  const organization = membership && (await find(at(organizationRecord, membership.orgSlug)));
  const revocation = remove(at(tokenRecord, userId, hash), { if: isThere, refused: tokenNotFound });
  if (organization === undefined || organization.id !== organizationId || organization.status !== 'active') {
    await transact(asRevocation([revocation]));
    context.log.account('token_revoked', { userId, tokenId: id });
    return;
  }
  const facts = { action: 'token.revoked', target: { type: 'token', id, name } } as const;
  await transact(asRevocation([revocation, await context.auditIn(organization, facts)]));
}

export const tokenNotFound = () => new ApiError('token_not_found', 'You have no active token with this identifier.');

/** A new token: its record, and the bearer token, which is shown only once. */
export interface IssuedToken {
  token: string;
  cliToken: TokenRecord;
}

export type TokenFacts = Pick<
  TokenRecord,
  'name' | 'access' | 'organizationId' | 'projectId' | 'environmentId' | 'memberId' | 'secondFactor' | 'provider'
>;

export function tokenWrite(token: TokenRecord): Write {
  return put(at(tokenRecord, token.userId, token.hash), token, { if: isNew });
}

export async function newToken(
  user: { id: string; email: string },
  requested: TokenFacts & ({ expiresInDays: number | null } | { lifetimeMs: number }),
): Promise<IssuedToken> {
  const { secret, hash } = createCredential(user.id, tokenPrefix, await issuingKey());
  const now = Date.now();
  const { name, access, organizationId, projectId, environmentId, memberId, secondFactor, provider } = requested;
  const daysMs = (days: number | null) => days && days * dayMs;
  const lifetimeMs = 'lifetimeMs' in requested ? requested.lifetimeMs : daysMs(requested.expiresInDays);
  const expiryMs = lifetimeMs === null ? undefined : now + lifetimeMs;
  const cliToken: TokenRecord = {
    name,
    access,
    organizationId,
    projectId,
    environmentId,
    memberId,
    secondFactor,
    provider,
    id: randomUUID(),
    userId: user.id,
    email: user.email,
    hash,
    prefix: secret.slice(0, 16),
    createdAt: new Date(now).toISOString(),
    lastUsedAt: null,
    expiryDate: expiryMs === undefined ? null : new Date(expiryMs).toISOString(),
    expiresAt: expiryMs && Math.ceil(expiryMs / 1000),
  };
  return { token: secret, cliToken };
}
