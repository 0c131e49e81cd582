import { otherCookie } from '../../access/session-cookie.ts';
import { factorCookie } from '../../contracts/auth/credentials.ts';
import { ApiError } from '../../core/errors.ts';
import { epochSeconds, isOver } from '../../core/time.ts';
import { createCredential, readCredential } from '../../crypto/credentials.ts';
import { isNew, isThere } from '../../table/expressions.ts';
import { ranges } from '../../table/keys.ts';
import { at, list, type Read } from '../../table/read.ts';
import { type ChallengeRecord, challengeRecord } from '../../table/records/credentials.ts';
import { nobody, passkeyRecord, type UserRecord } from '../../table/records/user.ts';
import { put, remove, transact, type Write } from '../../table/write.ts';
import { challengeSeconds, requestOptions } from './passkey-options.ts';

type Purpose = ChallengeRecord['purpose'];
type Answerer = Pick<UserRecord, 'id' | 'sessionEpoch'>;

/** A new challenge and the write that makes it valid. Only its hash is stored. */
export function newChallenge(purpose: Purpose, { id, sessionEpoch }: Answerer, provided?: ChallengeRecord['provided']) {
  const { secret, hash } = createCredential(id);
  const now = new Date();
  const times = { issuedAt: now.toISOString(), expiresAt: epochSeconds(now.getTime()) + challengeSeconds };
  const record = { purpose, userId: id, sessionEpoch, provided, ...times };
  return { challenge: secret, write: put(at(challengeRecord, hash), record, { if: isNew }) };
}

export function factorCookieLine(challenge: string): string {
  return otherCookie(factorCookie, challenge, { path: '/v1/auth/provider/factor', maxAgeSeconds: challengeSeconds });
}

export function issuedAtOf({ issuedAt, expiresAt }: ChallengeRecord): string {
  return issuedAt ?? new Date((expiresAt - challengeSeconds) * 1000).toISOString();
}

export interface PresentedChallenge {
  /** The user it was issued for; `nobody` if the answer must name the user. */
  userId: string;
  read: Read<ChallengeRecord>;
}

export function presentedChallenge(challenge: string): PresentedChallenge {
  const read = readCredential(challenge);
  if (read === undefined) throw invalidChallenge();
  return { userId: read.userId, read: at(challengeRecord, read.hash) };
}

/**
 * @throws invalid_token for a challenge that is unknown, used, expired, for another purpose or user, or older than the
 * current password
 */
export function requireOpenChallenge(
  presented: PresentedChallenge,
  stored: ChallengeRecord | undefined,
  purpose: Purpose,
  user: Answerer | undefined,
): void {
  const isOpen =
    stored !== undefined &&
    stored.purpose === purpose &&
    stored.userId === presented.userId &&
    !isOver(stored.expiresAt) &&
    (stored.userId === nobody || (stored.userId === user?.id && stored.sessionEpoch === user.sessionEpoch));
  if (!isOpen) throw invalidChallenge();
}

/** The write that uses up the challenge, for the transaction of its answer. @throws invalid_token, as above */
export function useUpChallenge(...parts: Parameters<typeof requireOpenChallenge>): Write {
  requireOpenChallenge(...parts);
  return remove(parts[0].read, { if: isThere, refused: invalidChallenge });
}

/** The write that makes a challenge valid again if the operation it authorized is undone. */
export function openAgain(presented: PresentedChallenge, stored: ChallengeRecord | undefined, sessionEpoch: number) {
  return stored === undefined ? [] : [put(presented.read, { ...stored, sessionEpoch }, { if: isNew })];
}

export const invalidChallenge = () =>
  new ApiError('invalid_token', 'This challenge is not valid: it is unknown, used or expired. Start again.');

/** A step-up accepts no recovery code; to get a fresh session with one, log in again. */
type Question = 'log-in' | 'step-up' | 'passkey-step-up';

/** The error that asks for a second factor after a correct password, which `proved` follows from. */
export async function askForFactor(purpose: Question, user: UserRecord, proved: readonly Write[] = []) {
  const { challenge, write } = newChallenge(purpose === 'log-in' ? 'log-in' : 'step-up', user);
  const [question] = await Promise.all([factorQuestion(purpose, user, challenge), transact([...proved, write])]);
  return new ApiError('second_factor_required', 'A second factor is required.', {
    details: { challenge, ...question },
  });
}

export async function factorQuestion(purpose: Question, user: UserRecord, challenge: string) {
  const passkeys = user.passkeyCount === undefined ? [] : await list(passkeyRecord, ranges.passkeys(user.id));
  const usable = {
    passkey: passkeys.length > 0,
    totp: user.totp !== undefined && purpose !== 'passkey-step-up',
    recovery_code: user.recoveryCodes !== undefined && purpose === 'log-in',
  };
  const methods = (['passkey', 'totp', 'recovery_code'] as const).filter(method => usable[method]);
  return passkeys.length === 0 ? { methods } : { methods, publicKey: await requestOptions(challenge, passkeys) };
}
