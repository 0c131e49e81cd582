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
  const [passkeys] = await Promise.all([
    user.passkeyCount === undefined ? [] : list(passkeyRecord, ranges.passkeys(user.id)),
    transact([...proved, write]),
  ]);
  const methods = [
    ...(passkeys.length > 0 ? ['passkey'] : []),
    ...(user.totp === undefined || purpose === 'passkey-step-up' ? [] : ['totp']),
    ...(purpose === 'log-in' && user.recoveryCodes !== undefined ? ['recovery_code'] : []),
  ];
  const options = passkeys.length === 0 ? {} : { publicKey: await requestOptions(challenge, passkeys) };
  return new ApiError('second_factor_required', 'A second factor is required.', {
    details: { challenge, methods, ...options },
  });
}
