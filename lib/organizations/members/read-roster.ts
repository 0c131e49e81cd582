import { ranges } from '../../table/keys.ts';
import { type InvitationRecord, invitationRecord } from '../../table/records/invitation.ts';
import { type MemberRecord, memberRecord } from '../../table/records/member.ts';
import { organizationPointerRecord } from '../../table/records/organization.ts';
import { at, find, list } from '../../table/store.ts';
import { isPending } from './invitation-view.ts';

/** The members and the invited of an organization. */
export interface Roster {
  /** By the time of joining. */
  members: MemberRecord[];
  /** Pending ones, by the time of inviting. */
  invitations: InvitationRecord[];
  /** Still stored and counted, but invalid: they expired, or their inviter may no longer make them. */
  expired: InvitationRecord[];
}

/**
 * The roster of an organization by its id, empty for an unknown one: two waves that run in parallel with authentication,
 * which decides whether the caller may see it.
 */
export async function readRoster(organizationId: string): Promise<Roster> {
  const pointer = await find(at(organizationPointerRecord, organizationId));
  if (pointer === undefined) return { members: [], invitations: [], expired: [] };
  return readRosterBySlug(pointer.orgSlug);
}

export async function readRosterBySlug(orgSlug: string): Promise<Roster> {
  const [members, invitations] = await Promise.all([
    list(memberRecord, ranges.members(orgSlug)),
    list(invitationRecord, ranges.invitations(orgSlug)),
  ]);
  const now = Date.now();
  const inviters = new Map(members.map(member => [member.userId, member]));
  const open = (invitation: InvitationRecord) => isPending(invitation, inviters.get(invitation.invitedBy.id), now);
  return {
    members: members.sort((a, b) => a.joinedAt.localeCompare(b.joinedAt) || a.id.localeCompare(b.id)),
    invitations: invitations
      .filter(open)
      .sort((a, b) => a.createdAt.localeCompare(b.createdAt) || a.id.localeCompare(b.id)),
    expired: invitations.filter(invitation => !open(invitation)),
  };
}
