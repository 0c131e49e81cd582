import { mayInvite, roles } from '../../contracts/fields/role.ts';
import { normalizeEmail } from '../../contracts/fields/text.ts';
import type { Invitation } from '../../contracts/members/members.ts';
import { derivedUuid } from '../../crypto/derived-uuid.ts';
import { equals } from '../../table/expressions.ts';
import { at } from '../../table/read.ts';
import {
  type InvitationRecord,
  invitationPointerRecord,
  invitationRecord,
  memberRecord,
} from '../../table/records/organization.ts';
import { check, remove, type Write } from '../../table/write.ts';

/** How many expired invitations one request removes; each takes two of a transaction's hundred writes. */
export const sweptAtOnce = 40;

/** Always the same for an organization and an address, so of concurrent invitations one replaces the other. */
export function invitationId(organizationId: string, email: string): string {
  return derivedUuid(`${organizationId}\n${normalizeEmail(email)}`);
}

/** The invitation as the API shows it, without its token. */
export function invitationView({ id, email, role, invitedBy, createdAt, expiryDate }: InvitationRecord): Invitation {
  return { id, email, role, invitedBy, createdAt, expiresAt: expiryDate };
}

/** The check that the inviter is a member who could still send this invitation. */
export function inviterStillMay(slug: string, { role, invitedBy }: InvitationRecord): Write {
  const invitingRoles = roles.filter(inviting => mayInvite(inviting, role));
  return check(at(memberRecord, slug, invitedBy.id), {
    if: invitingRoles.map(inviting => ({ role: equals(inviting) })),
  });
}

/** The writes that remove an invitation with its token; the caller lowers the organization's count. */
export function invitationRemoval(slug: string, { id, hash }: InvitationRecord): Write[] {
  const invitation = remove(at(invitationRecord, slug, id), { if: { hash: equals(hash) } });
  return [invitation, remove(at(invitationPointerRecord, hash))];
}
