import { ApiError } from '../core/errors.ts';
import { settings } from '../core/settings.ts';
import { equals } from '../table/expressions.ts';
import { at } from '../table/read.ts';
import { type UserRecord, userRecord } from '../table/records/user.ts';
import { check, type Write } from '../table/write.ts';

/**
 * A verified address stays verified, so checking the account as read is enough.
 * @throws email_not_verified
 */
export function requireVerifiedEmail({ emailVerified }: Pick<UserRecord, 'emailVerified'>): void {
  if (emailVerified || !settings().VERIFIED_EMAIL_REQUIRED) return;
  throw new ApiError('email_not_verified', 'Verify your e-mail address first.');
}

/**
 * Checks that the user has a verified e-mail address, for requests that have not read the account. The transaction fails
 * with email_not_verified otherwise.
 * @param wanted what the user wants to do, as in "Verify your e-mail address before you …"
 */
export function hasVerifiedEmail(userId: string, wanted: string): Write[] {
  if (!settings().VERIFIED_EMAIL_REQUIRED) return [];
  const refused = () => new ApiError('email_not_verified', `Verify your e-mail address before you ${wanted}.`);
  return [check(at(userRecord, userId), { if: { emailVerified: equals(true) }, refused })];
}
