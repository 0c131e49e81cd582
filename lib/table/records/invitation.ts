import * as z from 'zod';
import { mayInvite, Role } from '../../contracts/fields/role.ts';
import { ExpiresAt, entity } from '../entity.ts';
import { keys } from '../keys.ts';
import type { MemberRecord } from './member.ts';

/**
 * A pending invitation. Its id is derived from the organization and the e-mail address (see `invitationId`), so a new
 * one for the same address replaces it. It has no TTL, because the organization's count must change with it.
 */
export const invitationRecord = entity('invitation', keys.invitation, {
  id: z.string(),
  email: z.string(),
  role: Role,
  invitedBy: z.object({ id: z.string(), email: z.string() }),
  /** Hash of the token that accepts it. */
  hash: z.string(),
  createdAt: z.string(),
  /** ISO 8601. */
  expiryDate: z.string(),
});

export type InvitationRecord = ReturnType<typeof invitationRecord.parse>;

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

/** An organization's invitations that can still be accepted, and those that are only stored. Pure. */
export function sortInvitations(
  invitations: readonly InvitationRecord[],
  members: readonly MemberRecord[],
): { pending: InvitationRecord[]; dead: InvitationRecord[] } {
  const now = Date.now();
  const inviters = new Map(members.map(member => [member.userId, member]));
  const open = (invitation: InvitationRecord) => isPending(invitation, inviters.get(invitation.invitedBy.id), now);
  return { pending: invitations.filter(open), dead: invitations.filter(invitation => !open(invitation)) };
}

/** From an invitation's token to the invitation. */
export const invitationPointerRecord = entity('invitationPointer', keys.invitationPointer, {
  orgSlug: z.string(),
  organizationId: z.string(),
  invitationId: z.string(),
  expiresAt: ExpiresAt,
});
