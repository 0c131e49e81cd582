import { mayInvite } from '../../contracts/fields/role.ts';
import type { Invitation } from '../../contracts/members.ts';
import type { InvitationRecord } from '../../table/records/invitation.ts';
import type { MemberRecord } from '../../table/records/member.ts';

/** The invitation as the API shows it, without its token. */
export function invitationView({ id, email, role, invitedBy, createdAt, expiryDate }: InvitationRecord): Invitation {
  return { id, email, role, invitedBy, createdAt, expiresAt: expiryDate };
}

/**
 * Whether the invitation can still be accepted: it has not expired, and its inviter is a member who could still make it.
 * Pure.
 */
export function isPending(
  { expiryDate, role }: Pick<InvitationRecord, 'expiryDate' | 'role'>,
  inviter: Pick<MemberRecord, 'role'> | undefined,
  nowMs = Date.now(),
): boolean {
  return Date.parse(expiryDate) > nowMs && inviter !== undefined && mayInvite(inviter.role, role);
}
