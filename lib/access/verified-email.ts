import { ApiError } from '../core/errors.ts';
import { settings } from '../core/settings.ts';
import { equals } from '../table/expressions.ts';
import { at } from '../table/read.ts';
import { type UserRecord, userRecord } from '../table/records/user.ts';
import { check, type Write } from '../table/write.ts';
import { cameThroughProviderOf } from './fresh-session.ts';
import type { MemberContext } from './request-context.ts';

/**
 * A verified address stays verified, so checking the account as read is enough.
 * @throws email_not_verified
 */
export function requireVerifiedEmail({ emailVerified }: Pick<UserRecord, 'emailVerified'>): void {
  if (emailVerified || !settings().VERIFIED_EMAIL_REQUIRED) return;
  throw new ApiError('email_not_verified', 'Verify your e-mail address first.');
}

type Member = Pick<MemberContext, 'organization' | 'principal'>;

/** Inside its organization, the provider's word for the address is enough. */
function isVouchedFor({ organization, principal }: Member): boolean {
  return cameThroughProviderOf(organization, principal);
}

/**
 * Checks that the member has a verified e-mail address, for requests that may not have read the account. The transaction
 * fails with email_not_verified otherwise.
 * @param wanted what the user wants to do, as in "Verify your e-mail address before you …"
 */
export function hasVerifiedEmail(member: Member, wanted: string): Write[] {
  if (!settings().VERIFIED_EMAIL_REQUIRED || isVouchedFor(member)) return [];
  const refused = () => new ApiError('email_not_verified', `Verify your e-mail address before you ${wanted}.`);
  return [check(at(userRecord, member.principal.userId), { if: { emailVerified: equals(true) }, refused })];
}

/** The same for a member's session. @throws email_not_verified */
export function requireVerifiedMember(member: Member): void {
  const { user } = member.principal;
  if (user === undefined) throw new ApiError('unauthenticated', 'This requires a session.');
  if (!isVouchedFor(member)) requireVerifiedEmail(user);
}
