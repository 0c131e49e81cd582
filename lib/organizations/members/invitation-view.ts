import type { Invitation } from '../../contracts/members/member.ts';
import type { InvitationRecord } from '../../table/records/invitation.ts';

/** The invitation as the API shows it, without its token. */
export function invitationView({ id, email, role, invitedBy, createdAt, expiryDate }: InvitationRecord): Invitation {
  return { id, email, role, invitedBy, createdAt, expiresAt: expiryDate };
}
