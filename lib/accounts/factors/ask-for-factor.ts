import type { PasskeyRequestOptions } from '../../contracts/auth/passkey.ts';
import { ApiError } from '../../core/errors.ts';
import { ranges } from '../../table/keys.ts';
import { list } from '../../table/read.ts';
import { passkeyRecord } from '../../table/records/passkey.ts';
import type { UserRecord } from '../../table/records/user.ts';
import { transact, type Write } from '../../table/write.ts';
import { newChallenge } from './challenge.ts';
import { requestOptions } from './passkey-options.ts';

/**
 * The error that asks for a second factor after a correct password, with a challenge that the answer must include. A
 * step-up accepts no recovery code; to get a fresh session with one, log in again.
 * @param proved the writes that follow from a correct password, for the transaction that stores the challenge
 */
export async function askForFactor(
  purpose: 'log-in' | 'step-up' | 'passkey-step-up',
  user: UserRecord,
  proved: readonly Write[] = [],
): Promise<ApiError> {
  const { challenge, write } = newChallenge(purpose === 'log-in' ? 'log-in' : 'step-up', user);
  const [question] = await Promise.all([factorQuestion(purpose, user, challenge), transact([...proved, write])]);
  return new ApiError('second_factor_required', 'A second factor is required.', {
    details: { challenge, ...question },
  });
}

type Method = 'passkey' | 'totp' | 'recovery_code';

/** The factors with which a user can answer a challenge. */
export async function factorQuestion(
  purpose: 'log-in' | 'step-up' | 'passkey-step-up',
  user: UserRecord,
  challenge: string,
): Promise<{ methods: Method[]; publicKey?: PasskeyRequestOptions }> {
  const passkeys = user.passkeyCount === undefined ? [] : await list(passkeyRecord, ranges.passkeys(user.id));
  const methods: Method[] = [
    ...(passkeys.length > 0 ? ['passkey' as const] : []),
    ...(user.totp === undefined || purpose === 'passkey-step-up' ? [] : ['totp' as const]),
    ...(purpose === 'log-in' && user.recoveryCodes !== undefined ? ['recovery_code' as const] : []),
  ];
  return passkeys.length === 0 ? { methods } : { methods, publicKey: await requestOptions(challenge, passkeys) };
}
