import { ApiError } from '../core/errors.ts';
import { settings } from '../core/settings.ts';
import type { UserRecord } from '../table/records/user.ts';

/**
 * An address that is verified stays so, so the account as the request has read it is enough.
 * @throws email_not_verified
 */
export function requireVerifiedEmail({ emailVerified }: Pick<UserRecord, 'emailVerified'>): void {
  if (emailVerified || !settings().VERIFIED_EMAIL_REQUIRED) return;
  throw new ApiError('email_not_verified', 'Verify your e-mail address first.');
}
