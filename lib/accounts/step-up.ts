import type { AccountContext, RequestContext } from '../access/request-context.ts';
import { sessionIdOf } from '../access/session-cookie.ts';
import type { stepUp as contract } from '../contracts/auth/sign-in.ts';
import type { BodyOf } from '../contracts/contract.ts';
import { invalidRequest } from '../core/errors.ts';
import { settings } from '../core/settings.ts';
import { verifyPassword } from '../crypto/passwords.ts';
import { type Counter, count, countRead, refuseEarly, resetCount } from '../limits/count.ts';
import { wrongCodes, wrongCurrentPasswords } from '../limits/rate-limits.ts';
import { at, readTogether } from '../table/read.ts';
import type { SessionRecord } from '../table/records/credentials.ts';
import { hasSecondFactor, passkeyRecord, type UserRecord } from '../table/records/user.ts';
import { transact, type Write } from '../table/write.ts';
import { askForFactor, invalidChallenge, issuedAtOf, presentedChallenge, useUpChallenge } from './factors/challenge.ts';
import { type FactorProof, mailNotice, type PresentedFactor, proveFactor } from './factors/prove-factor.ts';
import { sessionEnded, startSession } from './sessions.ts';

type Sent = BodyOf<typeof contract>;

/**
 * Makes the session fresh, and lifts its confinement to a provider's organization, because the account itself is
 * proved. It gets a new secret, so a stolen copy of the old one is useless.
 * @throws invalid_request naming a wrong field; second_factor_required; invalid_token for the challenge; rate_limited
 */
export async function stepUp(context: AccountContext, sent: Sent): Promise<{ freshUntil: string; cookie: string }> {
  const { principal, source, log } = context;
  const { user, credential } = principal;
  if (credential.method !== 'session') throw sessionEnded();
  const { proof, writes } = await proveAccount(context, sent);
  const { hash, session } = credential;
  const { provider } = session;
  const renewed = await startSession(user, source, {
    secondFactor: proof !== undefined,
    brokeGlassIn: session.brokeGlassIn,
    provider: provider && { ...provider, lifted: true },
    replaces: { id: sessionIdOf(credential), hash, createdAt: session.createdAt },
  });
  await transact([...renewed.writes, ...writes]);
  log.account('stepped_up', { userId: user.id, ip: source.ip });
  if (proof !== undefined) await mailNotice(context, user, proof);
  const freshUntil = new Date(Date.now() + settings().STEP_UP_FRESH_SECONDS * 1000).toISOString();
  return { freshUntil, cookie: renewed.cookie };
}

/**
 * Verifies the account's own password and its second factor, if it has one. `writes` use up what was presented, in the
 * transaction that depends on it.
 * @throws invalid_request naming a wrong field; second_factor_required; invalid_token for the challenge; rate_limited;
 * unauthenticated without a session
 */
export async function proveAccount(
  context: AccountContext,
  sent: Sent,
): Promise<{ proof: FactorProof | undefined; writes: Write[] }> {
  const { user, credential } = context.principal;
  if (credential.method !== 'session') throw sessionEnded();
  const wrong = wrongCurrentPasswords(user.id);
  const presented = await readFactor(user, sent, wrong);
  const { password } = sent;
  if (password === undefined) await requirePasskeyInstead(user, sent, credential.session.provider);
  else await requireCurrentPassword(context, user, { field: 'password', password, wrong, event: 'step_up_refused' });
  if (presented === undefined && hasSecondFactor(user)) throw await askForFactor('step-up', user, resetCount(wrong));
  const field = sent.passkey === undefined ? 'totp' : 'passkey';
  const isWrong = () => invalidRequest([{ path: field, message: 'is wrong' }]);
  const proof = presented && (await proveFactor(context, user, presented.factor, isWrong));
  const reset = password === undefined ? [] : resetCount(wrong);
  return { proof, writes: [...reset, ...(proof?.writes ?? []), ...(presented?.writes ?? [])] };
}

/**
 * A user of a provider may not have a password. A passkey replaces it, because it verifies its user.
 * @throws invalid_request for the missing password; second_factor_required with a challenge for a passkey
 */
async function requirePasskeyInstead(user: UserRecord, { passkey }: Sent, provider: SessionRecord['provider']) {
  if (provider !== undefined && passkey !== undefined) return;
  if (provider === undefined || user.passkeyCount === undefined) {
    throw invalidRequest([{ path: 'password', message: 'is required' }]);
  }
  throw await askForFactor('passkey-step-up', user);
}

/** The factor that was sent, along with the data to verify it against. @throws invalid_token, rate_limited */
async function readFactor(
  user: UserRecord,
  { totp, challenge = '', passkey: assertion }: Sent,
  wrongPasswords: Counter,
): Promise<{ factor: PresentedFactor; writes: Write[] } | undefined> {
  const presented = assertion && presentedChallenge(challenge);
  const wrong = wrongCodes(user.id);
  const stored = await readTogether({
    passwords: countRead(wrongPasswords),
    codes: totp === undefined ? undefined : countRead(wrong),
    challenge: presented?.read,
    passkey: assertion && at(passkeyRecord, user.id, assertion.id),
  });
  refuseEarly(wrongPasswords, stored.passwords);
  refuseEarly(wrong, stored.codes);
  if (totp !== undefined) return { factor: { method: 'totp', code: totp, wrong }, writes: [] };
  if (assertion === undefined || presented === undefined) return undefined;
  const useUp = useUpChallenge(presented, stored.challenge, 'step-up', user);
  if (stored.challenge === undefined) throw invalidChallenge();
  const challengeIssuedAt = issuedAtOf(stored.challenge);
  const factor = { method: 'passkey', assertion, passkey: stored.passkey, challenge, challengeIssuedAt } as const;
  return { factor, writes: [useUp] };
}

/** @throws invalid_request naming the field for a wrong password, which is counted and logged; rate_limited */
export async function requireCurrentPassword(
  { source, log }: RequestContext,
  user: UserRecord,
  { field, password, wrong, event }: { field: string; password: string; wrong: Counter; event: string },
): Promise<void> {
  if (await verifyPassword(password, user.passwordHash)) return;
  await count(wrong);
  log.account(event, { userId: user.id, ip: source.ip });
  throw invalidRequest([{ path: field, message: 'is wrong' }]);
}
