import { ApiError } from '../core/errors.ts';
import { settings } from '../core/settings.ts';
import { equals } from '../table/expressions.ts';
import { at } from '../table/read.ts';
import { type UserRecord, userRecord } from '../table/records/user.ts';
import { check, type Write } from '../table/write.ts';
import { cameThroughProviderOf } from './fresh-session.ts';
import type { MemberContext } from './request-context.ts';

/** A verified address stays verified, so the account as read is enough. @throws email_not_verified */
export function requireVerifiedEmail({ emailVerified }: Pick<UserRecord, 'emailVerified'>): void {
  if (emailVerified || !settings().VERIFIED_EMAIL_REQUIRED) return;
  throw new ApiError('email_not_verified', 'Verify your e-mail address first.');
}

type Member = Pick<MemberContext, 'organization' | 'principal'>;

/** Inside its organization, the provider's word for the address is enough. */
const isVouchedFor = ({ organization, principal }: Member) => cameThroughProviderOf(organization, principal);

/**
 * The check that the member has a verified address, for requests that may not have read the account. Its transaction
 * throws email_not_verified, as in "Verify your e-mail address before you …".
 */
export function hasVerifiedEmail(member: Member, action: string): Write[] {
  if (!settings().VERIFIED_EMAIL_REQUIRED || isVouchedFor(member)) return [];
  const refused = () => new ApiError('email_not_verified', `Verify your e-mail address before you ${action}.`);
  return [check(at(userRecord, member.principal.userId), { if: { emailVerified: equals(true) }, refused })];
}

/** The same for a member's session. @throws email_not_verified */
export function requireVerifiedMember(member: Member): void {
  const { user } = member.principal;
  if (user === undefined) throw new ApiError('unauthenticated', 'This requires a session.');
  if (!isVouchedFor(member)) requireVerifiedEmail(user);
}
