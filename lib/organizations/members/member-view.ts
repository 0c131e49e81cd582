import type { Invitation, Member } from '../../contracts/members.ts';
import type { InvitationRecord } from '../../table/records/invitation.ts';
import type { MemberRecord } from '../../table/records/member.ts';

/** The member as the API shows it. */
export function memberView({ id, userId, email, name, role, joinedAt }: MemberRecord): Member {
  return { id, userId, email, name, role, joinedAt };
}

/** The invitation as the API shows it, without its token. */
export function invitationView({ id, email, role, invitedBy, createdAt, expiryDate }: InvitationRecord): Invitation {
  return { id, email, role, invitedBy, createdAt, expiresAt: expiryDate };
}

/** Whether the invitation can still be accepted. Pure. */
export function isPending({ expiryDate }: InvitationRecord, nowMs = Date.now()): boolean {
  return Date.parse(expiryDate) > nowMs;
}
