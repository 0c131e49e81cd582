import { createHash } from 'node:crypto';
import type { RequestContext } from '../access/request-context.ts';
import type { logIn as contract } from '../contracts/auth/sign-in.ts';
import type { BodyOf } from '../contracts/contract.ts';
import { ApiError } from '../core/errors.ts';
import { dayMs } from '../core/time.ts';
import { hashPassword, isOutdatedHash, verifyPassword } from '../crypto/passwords.ts';
import { count, countRead, isReached, refuseEarly, requireBelowLimit, resetCount } from '../limits/count.ts';
import { networkOf } from '../limits/network.ts';
import { failedLogins, failedLoginsOfNetwork } from '../limits/rate-limits.ts';
import { equals, isThere } from '../table/expressions.ts';
import { at, find, readTogether } from '../table/read.ts';
import { emailRecord, hasSecondFactor, nobody, type UserRecord, userRecord } from '../table/records/user.ts';
import { transactIfHolds, update } from '../table/write.ts';
import { transactWithLink } from './account-link.ts';
import { breakGlassWindow } from './break-glass.ts';
import { askForFactor } from './factors/challenge.ts';
import { newSession } from './sessions.ts';

type Credentials = BodyOf<typeof contract>;

/**
 * Starts a session. An unknown e-mail address and a wrong password cost the same work and get the same response. Once
 * the failure limit is reached, a correct password is rejected like a wrong one.
 * @throws rate_limited, invalid_credentials; second_factor_required with a challenge after a correct password
 */
export async function logIn(context: RequestContext, credentials: Credentials, linkSecret: string | undefined) {
  return checkAndLogIn(context, credentials, linkSecret).catch(error => {
    if (error instanceof ApiError && error.code === 'rate_limited') {
      context.log.account('login_refused', { email: credentials.email, ip: context.source.ip });
    }
    throw error;
  });
}

async function checkAndLogIn(
  context: RequestContext,
  { email, password }: Credentials,
  linkSecret: string | undefined,
): Promise<{ user: UserRecord; cookies: string[] }> {
  const { source, log } = context;
  const network = networkOf(source.ip);
  const [ofEmail, ofAll] = [failedLogins(email, network), failedLoginsOfNetwork(network)];
  const reads = { pointer: at(emailRecord, email), ofEmail: countRead(ofEmail), ofAll: countRead(ofAll) };
  const stored = await readTogether(reads);
  refuseEarly(ofEmail, stored.ofEmail);
  const isCrowded = isReached(ofAll, stored.ofAll);
  const user = await find(at(userRecord, stored.pointer?.userId ?? nobody));
  const isOwnNetwork = isCrowded && user !== undefined && ageMs(user, network) < keptMs;
  const glass = isCrowded && user !== undefined && !isOwnNetwork ? await breakGlassWindow(context, user) : undefined;
  const shared = isOwnNetwork ? [] : [glass ?? ofAll];
  for (const window of shared) refuseEarly(window, glass === undefined ? stored.ofAll : await find(glass.item));
  if (!(await verifyPassword(password, user?.passwordHash)) || user === undefined) {
    await count(ofEmail, ...shared);
    log.account('login_failed', { email, userId: user?.id, ip: source.ip });
    // As for every other account: the response must not distinguish this one.
    refuseEarly(ofAll, stored.ofAll);
    throw new ApiError('invalid_credentials', 'The e-mail address or the password is wrong.');
  }
  // The same network may still be guessing other accounts, so its failures still count.
  const proved = [...resetCount(ofEmail), ...shared.flatMap(requireBelowLimit)];
  const recording = async () => ofAll.bound < 0 || recordNetwork(context, user, network);
  if (hasSecondFactor(user)) {
    const [asking] = await Promise.all([askForFactor('log-in', user, proved), recording()]);
    await rehashIfOutdated(user, password);
    log.account('second_factor_asked', { userId: user.id, ip: source.ip });
    throw asking;
  }
  const session = await newSession(user, source);
  const loggingIn = transactWithLink(context, user, linkSecret, [...proved, session.write]);
  const [cookies] = await Promise.all([loggingIn, recording()]);
  await rehashIfOutdated(user, password);
  log.account('logged_in', { userId: user.id, ip: source.ip });
  return { user, cookies: [session.cookie, ...cookies] };
}

/** Only a log-in has the plain-text password, so this is when it can be hashed with today's parameters. */
async function rehashIfOutdated(user: UserRecord, password: string): Promise<void> {
  if (!isOutdatedHash(user.passwordHash)) return;
  const passwordHash = await hashPassword(password);
  const unchanged = { passwordHash: equals(user.passwordHash) };
  await transactIfHolds([update(at(userRecord, user.id), { set: { passwordHash } }, { if: unchanged })]);
}

/*
 * An account records the networks from which its password was given. If strangers use up such a network's failed
 * log-ins, the account can still log in there.
 */

const keptMs = 90 * dayMs;
/** An entry is renewed this late, so that most log-ins write nothing. */
const renewedAfterMs = 30 * dayMs;
const maximumNetworks = 10;

/** Records the network after a correct password. A failure is only logged: it must not keep anybody from logging in. */
async function recordNetwork({ log }: RequestContext, user: UserRecord, network: string): Promise<void> {
  if (ageMs(user, network) < renewedAfterMs) return;
  const networks = { ...user.logInNetworks, [idOf(user, network)]: new Date().toISOString() };
  const newestFirst = Object.entries(networks).toSorted(([, a], [, b]) => b.localeCompare(a));
  const logInNetworks = Object.fromEntries(newestFirst.slice(0, maximumNetworks));
  try {
    await transactIfHolds([update(at(userRecord, user.id), { set: { logInNetworks } }, { if: isThere })]);
  } catch (error) {
    log.error('could not record the network of a log-in', error, { userId: user.id });
  }
}

function ageMs(user: UserRecord, network: string): number {
  const recordedAt = user.logInNetworks?.[idOf(user, network)];
  return recordedAt === undefined ? Number.POSITIVE_INFINITY : Date.now() - Date.parse(recordedAt);
}

function idOf({ id }: UserRecord, network: string): string {
  return createHash('sha256').update(`${id} ${network}`).digest('base64url').slice(0, 22);
}
