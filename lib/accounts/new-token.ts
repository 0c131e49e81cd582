import { randomUUID } from 'node:crypto';
import { issuingKey } from '../access/credential-key.ts';
import { createCredential, tokenPrefix } from '../crypto/credentials.ts';
import { isNew } from '../table/expressions.ts';
import { at } from '../table/read.ts';
import { type TokenRecord, tokenRecord } from '../table/records/token.ts';
import { put, type Write } from '../table/write.ts';

const shownCharacters = 16;

/** A new token: its record, and the bearer token, which is shown only once. */
export interface IssuedToken {
  token: string;
  cliToken: TokenRecord;
}

export type TokenFacts = Pick<
  TokenRecord,
  'name' | 'access' | 'organizationId' | 'projectId' | 'environmentId' | 'memberId' | 'secondFactor' | 'provider'
>;

type Lifetime = { expiresInDays: number | null } | { lifetimeMs: number };

/** The write that makes a new token valid. */
export function tokenWrite(token: TokenRecord): Write {
  return put(at(tokenRecord, token.userId, token.hash), token, { if: isNew });
}

/** A new bearer token of the user or identity, which `tokenWrite` makes valid. */
export async function newToken(
  user: { id: string; email: string },
  wanted: TokenFacts & Lifetime,
): Promise<IssuedToken> {
  const { secret, hash } = createCredential(user.id, tokenPrefix, await issuingKey());
  const now = Date.now();
  const { name, access, organizationId, projectId, environmentId, memberId, secondFactor, provider } = wanted;
  const lifetimeMs = lifetimeOf(wanted);
  const expiryMs = lifetimeMs === null ? undefined : now + lifetimeMs;
  const cliToken: TokenRecord = {
    name,
    access,
    organizationId,
    projectId,
    environmentId,
    memberId,
    secondFactor,
    ...(provider === undefined ? {} : { provider }),
    id: randomUUID(),
    userId: user.id,
    email: user.email,
    hash,
    prefix: secret.slice(0, shownCharacters),
    createdAt: new Date(now).toISOString(),
    lastUsedAt: null,
    expiryDate: expiryMs === undefined ? null : new Date(expiryMs).toISOString(),
    ...(expiryMs === undefined ? {} : { expiresAt: Math.ceil(expiryMs / 1000) }),
  };
  return { token: secret, cliToken };
}

function lifetimeOf(wanted: Lifetime): number | null {
  if ('lifetimeMs' in wanted) return wanted.lifetimeMs;
  return wanted.expiresInDays === null ? null : wanted.expiresInDays * 24 * 60 * 60 * 1000;
}
