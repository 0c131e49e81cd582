import { createHash } from 'node:crypto';
import { auditWrite } from '../access/audit-write.ts';
import { hasProvedFactor } from '../access/fresh-session.ts';
import type { AccountContext, RequestContext } from '../access/request-context.ts';
import { dashboardOrigin } from '../core/dashboard-origin.ts';
import { ApiError } from '../core/errors.ts';
import { createCredential, equalInConstantTime, readCredential } from '../crypto/credentials.ts';
import { isNew, isThere } from '../table/expressions.ts';
import { at, find, readTogether } from '../table/read.ts';
import { handOffRecord } from '../table/records/hand-off.ts';
import { organizationRecord } from '../table/records/organization.ts';
import { userRecord } from '../table/records/user.ts';
import { put, remove, transact } from '../table/write.ts';
import { addToken } from './create-token.ts';
import { listTokens } from './list-tokens.ts';
import { type IssuedToken, newToken } from './new-token.ts';
import { resolveTokenScope, scopeHolds, type WantedToken } from './token-scope.ts';

const codeLifetimeSeconds = 60;

/**
 * First half of the hand-off: a code that the CLI exchanges for the token, once and within a minute, and the origin that
 * issued it. If a site at another address lures a user here, no client will redeem the code there.
 * @throws unauthenticated without a session; organization_not_found, project_not_found, environment_not_found
 */
export async function offerHandOff(
  { principal }: RequestContext & { principal: AccountContext['principal'] | undefined },
  wanted: WantedToken & { codeChallenge: string },
): Promise<{ code: string; iss: string; expiresAt: string }> {
  if (principal === undefined) throw new ApiError('unauthenticated', 'Asking for a code needs a session. Sign in.');
  const { userId, user } = principal;
  const [scope, iss] = await Promise.all([resolveTokenScope(userId, wanted), dashboardOrigin()]);
  const { secret, hash } = createCredential(userId);
  const expiresAt = Math.floor(Date.now() / 1000) + codeLifetimeSeconds;
  await transact([
    put(
      at(handOffRecord, hash),
      {
        userId,
        sessionEpoch: user.sessionEpoch,
        secondFactor: hasProvedFactor(principal),
        codeChallenge: wanted.codeChallenge,
        name: wanted.name,
        access: wanted.access,
        organizationId: scope?.organization.id ?? null,
        orgSlug: scope?.organization.slug ?? null,
        memberId: scope?.member.id ?? null,
        projectId: wanted.projectId ?? null,
        environmentId: wanted.environmentId ?? null,
        expiresInDays: wanted.expiresInDays ?? null,
        expiresAt,
      },
      { if: isNew },
    ),
  ]);
  return { code: secret, iss, expiresAt: new Date(expiresAt * 1000).toISOString() };
}

/**
 * Second half: exchanges the code and its verifier (RFC 7636, S256) for the token. A wrong verifier burns the code, and
 * so does a changed password.
 * @throws invalid_token; token_limit_reached; organization_not_found where the membership has ended in the meantime
 */
export async function takeHandOff(
  { source, log }: RequestContext,
  { code, codeVerifier }: { code: string; codeVerifier: string },
): Promise<IssuedToken> {
  const claimed = readCredential(code);
  if (claimed === undefined) throw invalidCode();
  const item = at(handOffRecord, claimed.hash);
  const { handOff, user } = await readTogether({ handOff: item, user: at(userRecord, claimed.userId) });
  if (handOff === undefined || user === undefined) throw invalidCode();
  const useUp = remove(item, { if: isThere, refused: invalidCode });
  const challenge = createHash('sha256').update(codeVerifier).digest('base64url');
  const isValid =
    handOff.expiresAt * 1000 > Date.now() &&
    handOff.sessionEpoch === user.sessionEpoch &&
    equalInConstantTime(challenge, handOff.codeChallenge);
  if (!isValid) {
    await transact([useUp]);
    log.account('handoff_refused', { userId: user.id, ip: source.ip });
    throw invalidCode();
  }
  // The token must not end with its code, whose time DynamoDB would take for that of the token.
  const { expiresAt: _, ...facts } = handOff;
  const issued = await newToken(user, facts);
  const { id, name } = issued.cliToken;
  // Read after the account, so that the condition on the account covers this read.
  const live = await listTokens(user.id);
  const { organizationId, orgSlug, memberId } = handOff;
  if (organizationId === null || orgSlug === null || memberId === null) {
    await addToken({ user, live }, issued.cliToken, [useUp]);
    log.account('token_created', { userId: user.id, tokenId: id });
    return issued;
  }
  const organization = await find(at(organizationRecord, orgSlug));
  if (organization === undefined) throw invalidCode();
  await addToken({ user, live }, issued.cliToken, [
    useUp,
    ...scopeHolds({ orgSlug, organizationId, userId: user.id, memberId }),
    // The actor is the person who handed it off, because the CLI has no credential yet.
    await auditWrite(organization, { id: user.id, email: user.email, type: 'session' }, source, {
      action: 'token.created',
      target: { type: 'token', id, name },
    }),
  ]);
  return issued;
}

const invalidCode = () => new ApiError('invalid_token', 'This code is not valid: it is unknown, used or expired.');
