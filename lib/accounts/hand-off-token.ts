import { createHash } from 'node:crypto';
import type { AccountContext, RequestContext } from '../access/request-context.ts';
import { sessionIdOf } from '../access/session-cookie.ts';
import { dashboardOrigin } from '../core/dashboard-origin.ts';
import { ApiError } from '../core/errors.ts';
import { createCredential, equalInConstantTime, readCredential } from '../crypto/credentials.ts';
import { isNew, isThere } from '../table/expressions.ts';
import { at, find, readTogether } from '../table/read.ts';
import { handOffRecord } from '../table/records/hand-off.ts';
import { organizationRecord } from '../table/records/organization.ts';
import { sessionRecord } from '../table/records/session.ts';
import { userRecord } from '../table/records/user.ts';
import { check, put, remove, transact } from '../table/write.ts';
import { issueToken, resolveToken, type WantedToken } from './create-token.ts';
import { type IssuedToken, listTokens } from './tokens.ts';

const codeLifetimeSeconds = 60;

/**
 * First step of the hand-off: a code that the CLI exchanges for the token, once and within a minute, and the origin
 * that issued it. If another site lures a user here, the origin keeps clients from redeeming the code at that site.
 * @throws unauthenticated without a session; organization_not_found, project_not_found, environment_not_found
 */
export async function offerHandOff(
  { principal }: RequestContext & { principal: AccountContext['principal'] | undefined },
  wanted: WantedToken & { codeChallenge: string },
): Promise<{ code: string; iss: string; expiresAt: string }> {
  if (principal === undefined) throw new ApiError('unauthenticated', 'Requesting a code requires a session. Sign in.');
  const { userId, user, credential } = principal;
  if (credential.method !== 'session') throw new ApiError('insufficient_scope', 'This needs a session.');
  const [{ facts, organization }, iss] = await Promise.all([resolveToken(principal, wanted), dashboardOrigin()]);
  const { secret, hash } = createCredential(userId);
  const expiresAt = Math.floor(Date.now() / 1000) + codeLifetimeSeconds;
  const handOff = {
    ...facts,
    userId,
    sessionEpoch: user.sessionEpoch,
    sessionHash: credential.hash,
    sessionId: sessionIdOf(credential),
    codeChallenge: wanted.codeChallenge,
    orgSlug: organization?.slug ?? null,
    expiresAt,
  };
  await transact([put(at(handOffRecord, hash), handOff, { if: isNew })]);
  return { code: secret, iss, expiresAt: new Date(expiresAt * 1000).toISOString() };
}

/**
 * Second step: exchanges the code and its verifier (RFC 7636, S256) for the token. A wrong verifier or a changed
 * password uses up the code, and it ends with the session that requested it.
 * @throws invalid_token, token_limit_reached; organization_not_found if the membership has ended in the meantime
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
  const { orgSlug, sessionHash, sessionId, expiresAt: _, ...facts } = handOff;
  const session = at(sessionRecord, user.id, sessionHash);
  const stillSignedIn = check(session, { if: isThere, refused: invalidCode });
  // Read after the account, so that the condition on the account covers this read.
  const live = await listTokens(user.id);
  const organization = orgSlug === null ? undefined : await find(at(organizationRecord, orgSlug));
  if (orgSlug !== null && organization === undefined) throw invalidCode();
  return issueToken({ source, log }, { user, live, facts, organization, sessionId }, [useUp, stillSignedIn]);
}

const invalidCode = () => new ApiError('invalid_token', 'This code is not valid: it is unknown, used or expired.');
