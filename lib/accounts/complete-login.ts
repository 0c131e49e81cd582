import type { RequestContext } from '../access/request-context.ts';
import type { completeLogin as contract } from '../contracts/auth/complete-login.ts';
import type { PasskeyRequestOptions } from '../contracts/auth/passkey.ts';
import type { BodyOf } from '../contracts/contract.ts';
import { ApiError } from '../core/errors.ts';
import { type Counter, countOne, refuseEarly, toRead } from '../limits/count.ts';
import { networkOf } from '../limits/network.ts';
import { passkeyLogins, wrongCodes } from '../limits/rate-limits.ts';
import { at, readTogether } from '../table/read.ts';
import { passkeyRecord } from '../table/records/passkey.ts';
import { nobody, type UserRecord, userRecord } from '../table/records/user.ts';
import { retryOnConditionFailed, transact } from '../table/write.ts';
import { brokenBy, findRequiring, mailBreakGlass } from './break-glass.ts';
import { answer, invalidChallenge, issuedAtOf, newChallenge, presentedChallenge } from './factors/challenge.ts';
import { requestOptions, userOfHandle } from './factors/passkey-options.ts';
import { mailNotice, type PresentedFactor, proveFactor } from './factors/prove-factor.ts';
import { newSession } from './new-session.ts';
import { transactWithLink } from './pending-link.ts';
import { factsOfProvided, transactProvided } from './provided-log-in.ts';

/**
 * A challenge for any passkey of this site; its answer names the user.
 * @throws rate_limited
 */
export async function startPasskeyLogin({ source }: RequestContext): Promise<{
  challenge: string;
  publicKey: PasskeyRequestOptions;
}> {
  const { challenge, write } = newChallenge('passkey-log-in', { id: nobody, sessionEpoch: 0 });
  const begun = passkeyLogins(networkOf(source.ip));
  await retryOnConditionFailed(() => transact([...countOne(begun), write]));
  return { challenge, publicKey: await requestOptions(challenge, []) };
}

type Answer = BodyOf<typeof contract>;

const refused = () => new ApiError('invalid_credentials', 'The code or the passkey is wrong.');

/**
 * Starts a session after a second factor, or after a passkey alone.
 * @throws invalid_token for the challenge; invalid_credentials, rate_limited
 */
export async function completeLogin(
  context: RequestContext,
  sent: Answer,
  linkSecret: string | undefined,
): Promise<{ user: UserRecord; cookies: string[] }> {
  const { source, log } = context;
  const presented = presentedChallenge(sent.challenge);
  const isAlone = presented.userId === nobody;
  if (isAlone && sent.passkey === undefined) throw invalidChallenge();
  const userId = isAlone ? (userOfHandle(sent.passkey?.response.userHandle) ?? nobody) : presented.userId;
  const wrong = wrongCodes(userId);
  const requiring = findRequiring(context, userId);
  const { challenge, user, passkey, codes } = await readTogether({
    challenge: presented.read,
    codes: sent.passkey === undefined ? toRead(wrong) : undefined,
    user: at(userRecord, userId),
    passkey: sent.passkey === undefined ? undefined : at(passkeyRecord, userId, sent.passkey.id),
  });
  const purpose = challenge?.purpose === 'provider-log-in' ? 'provider-log-in' : 'log-in';
  const useUp = answer(presented, challenge, isAlone ? 'passkey-log-in' : purpose, user);
  if (user === undefined || challenge === undefined) throw refused();
  refuseEarly(wrong, codes);
  const factor = factorOf(sent, passkey, issuedAtOf(challenge), wrong);
  const proof = await proveFactor(context, user, factor, refused);
  const bypassed = challenge.provided !== undefined ? [] : brokenBy(factor, user, await requiring);
  const brokeGlassIn = bypassed.map(({ id }) => id);
  const session = await newSession(user, source, { ...factsOfProvided(challenge), secondFactor: true, brokeGlassIn });
  const writes = [...proof.writes, useUp, session.write];
  const cookies =
    challenge.provided === undefined
      ? await transactWithLink(context, user, linkSecret, writes)
      : await transactProvided(context, user, challenge.provided, writes);
  log.account('logged_in', { userId: user.id, ip: source.ip, secondFactor: factor.method });
  await mailNotice(context, user, proof);
  await mailBreakGlass(context, user, bypassed);
  return { user, cookies: [session.cookie, ...cookies] };
}

function factorOf(
  { challenge, totp, recoveryCode, passkey: assertion }: Answer,
  passkey: (PresentedFactor & { method: 'passkey' })['passkey'],
  challengeIssuedAt: string,
  wrong: Counter,
): PresentedFactor {
  if (assertion !== undefined) return { method: 'passkey', assertion, passkey, challenge, challengeIssuedAt };
  if (totp !== undefined) return { method: 'totp', code: totp, wrong };
  return { method: 'recovery_code', code: recoveryCode ?? '', wrong };
}
