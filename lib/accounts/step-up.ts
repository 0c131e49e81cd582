import type { AccountContext } from '../access/request-context.ts';
import type { PasskeyAssertion } from '../contracts/auth/passkey-credential.ts';
import { invalidRequest, temporarilyUnavailable } from '../core/errors.ts';
import { settings } from '../core/settings.ts';
import { isThere } from '../table/expressions.ts';
import { passkeyRecord } from '../table/records/passkey.ts';
import { sessionRecord } from '../table/records/session.ts';
import { hasSecondFactor, type UserRecord } from '../table/records/user.ts';
import { at, readTogether, remove, transact, type Write } from '../table/store.ts';
import { sessionEnded } from './create-token.ts';
import { requireCurrentPassword, tryCurrentPassword } from './current-password.ts';
import { askForFactor } from './factors/ask-for-factor.ts';
import { answer, presentedChallenge } from './factors/challenge.ts';
import { type PresentedFactor, proveFactor } from './factors/prove-factor.ts';
import { newSession } from './new-session.ts';
import { forgetTries, forgettingTries, returningTry, returnTry } from './rate-limit.ts';

/** The contract has checked that at most one factor comes, a passkey with its challenge. */
interface Sent {
  password: string;
  totp?: string | undefined;
  challenge?: string | undefined;
  passkey?: PasskeyAssertion | undefined;
}

/**
 * Makes the session fresh. It gets a new secret, so a stolen copy of the old one is worth nothing.
 * @throws invalid_request naming the field of a wrong password or factor; second_factor_required; invalid_token for the
 * challenge; rate_limited
 */
export async function stepUp(context: AccountContext, sent: Sent): Promise<{ freshUntil: string; cookie: string }> {
  const { principal, source, log } = context;
  const { user, credential } = principal;
  if (credential.method !== 'session') throw sessionEnded();
  const [taken, presented] = await Promise.all([tryCurrentPassword(user.id), readFactor(user, sent)]);
  await requireCurrentPassword(context, user, {
    field: 'password',
    password: sent.password,
    event: 'step_up_refused',
  });
  if (presented === undefined && hasSecondFactor(user)) {
    const [asking] = await Promise.all([askForFactor('step-up', user), forgetTries(taken)]);
    throw asking;
  }
  const field = sent.passkey === undefined ? 'totp' : 'passkey';
  const isWrong = () => invalidRequest([{ path: field, message: 'is wrong' }]);
  const proof = presented && (await proveFactor(context, user, presented.factor, isWrong));
  const session = await newSession(user, source, {
    secondFactor: proof !== undefined,
    createdAt: credential.session.createdAt,
  });
  const old = at(sessionRecord, user.id, credential.hash);
  // The tries end in the same transaction. A write beside it that has to wait is judged again by the old session, and a
  // wave before it would be one too many.
  await transact([
    remove(old, { if: isThere, refused: sessionEnded }),
    session.write,
    ...(presented?.writes ?? []),
    ...(proof === undefined ? [] : [proof.write]),
    ...(proof?.taken === undefined ? [] : returningTry(proof.taken, tookTooLong)),
    ...forgettingTries(taken),
  ]).catch(async (error: unknown) => {
    // The password and the code were right, so neither counts.
    await Promise.all([proof?.taken && returnTry(proof.taken), forgetTries(taken)]);
    throw error;
  });
  log.account('stepped_up', { userId: user.id, ip: source.ip });
  const freshUntil = new Date(Date.now() + settings().STEP_UP_FRESH_SECONDS * 1000).toISOString();
  return { freshUntil, cookie: session.cookie };
}

const tookTooLong = () => temporarilyUnavailable('This took too long. Send the request again.');

/** The factor that was sent, with what it is verified against. @throws invalid_token */
async function readFactor(
  user: UserRecord,
  { totp, challenge = '', passkey: assertion }: Sent,
): Promise<{ factor: PresentedFactor; writes: Write[] } | undefined> {
  if (totp !== undefined) return { factor: { method: 'totp', code: totp }, writes: [] };
  if (assertion === undefined) return undefined;
  const presented = presentedChallenge(challenge);
  const found = await readTogether({
    challenge: presented.read,
    passkey: at(passkeyRecord, user.id, assertion.id),
  });
  const useUp = answer(presented, found.challenge, 'step-up', user);
  return { factor: { method: 'passkey', assertion, passkey: found.passkey, challenge }, writes: [useUp] };
}
