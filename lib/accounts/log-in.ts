import type { RequestContext } from '../access/request-context.ts';
import { ApiError } from '../core/errors.ts';
import { settings } from '../core/settings.ts';
import { hashPassword, isOutdatedHash, verifyPassword } from '../crypto/passwords.ts';
import { equals } from '../table/expressions.ts';
import { emailRecord, hasSecondFactor, nobody, type UserRecord, userRecord } from '../table/records/user.ts';
import { at, ConditionFailed, find, transact, update } from '../table/store.ts';
import { askForFactor } from './factors/ask-for-factor.ts';
import { newSession } from './new-session.ts';
import {
  forgetTries,
  keepTry,
  type RateLimit,
  rateSubjectOfAddress,
  rateSubjectOfEmail,
  returnTry,
  takeTries,
} from './rate-limit.ts';

/**
 * Starts a session. An unknown e-mail and a wrong password do the same work and get the same answer. If the limit
 * refuses a try, the password is not checked, so the answer tells nothing about it.
 * @throws rate_limited, invalid_credentials; second_factor_required with a challenge, after a right password
 */
export async function logIn(
  { source, log }: RequestContext,
  { email, password }: { email: string; password: string },
): Promise<{ user: UserRecord; cookie: string }> {
  const limits = loginLimits(email, source.ip);
  const [pointer, [tryOfEmail, tryOfAddress]] = await Promise.all([
    find(at(emailRecord, email)),
    takeTries([limits.ofEmail, limits.ofAddress]).catch(error => {
      if (error instanceof ApiError && error.code === 'rate_limited')
        log.account('login_refused', { email, ip: source.ip });
      throw error;
    }),
  ]);
  const user = await find(at(userRecord, pointer?.userId ?? nobody));
  if (!(await verifyPassword(password, user?.passwordHash)) || user === undefined) {
    await Promise.all([keepTry(tryOfEmail), keepTry(tryOfAddress)]);
    log.account('login_failed', { email, userId: user?.id, ip: source.ip });
    throw new ApiError('invalid_credentials', 'The e-mail address or the password is wrong.');
  }
  if (hasSecondFactor(user)) {
    const [asking] = await Promise.all([
      askForFactor('log-in', user),
      forgetTries(tryOfEmail),
      returnTry(tryOfAddress),
      rehashIfOutdated(user, password),
    ]);
    log.account('second_factor_asked', { userId: user.id, ip: source.ip });
    throw asking;
  }
  const session = await newSession(user, source);
  await Promise.all([
    transact([session.write]),
    // Successful logins don't count against the limit.
    forgetTries(tryOfEmail),
    returnTry(tryOfAddress),
    rehashIfOutdated(user, password),
  ]);
  log.account('logged_in', { userId: user.id, ip: source.ip });
  return { user, cookie: session.cookie };
}

/** An address alone may fail ten times as often, because many people may share it. */
function loginLimits(email: string, ip: string): { ofEmail: RateLimit; ofAddress: RateLimit } {
  const tries = settings().LOGIN_FAILURE_LIMIT;
  const address = rateSubjectOfAddress(ip);
  const common = { windowSeconds: 15 * 60, onlyFailures: true } as const;
  return {
    ofEmail: { ...common, name: 'login', tries, subject: `${rateSubjectOfEmail(email)} ${address}` },
    ofAddress: { ...common, name: 'login-address', tries: tries < 0 ? tries : tries * 10, subject: address },
  };
}

/** Only a log-in has the password in clear, so this is when it can be hashed with today's parameters. */
async function rehashIfOutdated(user: UserRecord, password: string): Promise<void> {
  if (!isOutdatedHash(user.passwordHash)) return;
  const passwordHash = await hashPassword(password);
  try {
    const unchanged = { passwordHash: equals(user.passwordHash) };
    await transact([update(at(userRecord, user.id), { set: { passwordHash } }, { if: unchanged })]);
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error;
  }
}
