import { newChallenge } from '../accounts/factors/challenge.ts';
import { factorCookieLine } from '../accounts/provided-log-in.ts';
import type { ChallengeRecord } from '../table/records/challenge.ts';
import type { UserRecord } from '../table/records/user.ts';
import type { Write } from '../table/write.ts';
import { SignInRefused } from './sign-in-refused.ts';

/**
 * The refusal that asks for the account's own second factor, and the write that makes its challenge valid. The challenge
 * is in a cookie, because it must not be in a URL.
 */
export function askOwnFactor(
  user: UserRecord,
  provided: NonNullable<ChallengeRecord['provided']>,
): { refused: SignInRefused; write: Write } {
  const { challenge, write } = newChallenge('provider-log-in', user, provided);
  const refused = new SignInRefused('second_factor_required', { cookies: [factorCookieLine(challenge)] });
  return { refused, write };
}
