import { organizationNotFound } from '../../core/errors.ts';
import { ranges } from '../../table/keys.ts';
import { at, find, ofKind, queryItems } from '../../table/read.ts';
import { type InvitationRecord, invitationRecord, sortInvitations } from '../../table/records/invitation.ts';
import { type MemberRecord, memberRecord } from '../../table/records/member.ts';
import {
  type OrganizationRecord,
  organizationPointerRecord,
  organizationRecord,
} from '../../table/records/organization.ts';

/** An organization with its members and the invited. */
export interface Roster {
  organization: OrganizationRecord;
  /** By the time of joining. */
  members: MemberRecord[];
  /** Pending ones, by the time of inviting. */
  invitations: InvitationRecord[];
  /** Still stored and counted, but invalid: they expired, or their inviter may no longer make them. */
  expired: InvitationRecord[];
}

/**
 * The roster of an organization by its id: two waves that run in parallel with authentication, which decides whether the
 * caller may see it.
 * @throws organization_not_found
 */
export async function readRoster(organizationId: string): Promise<Roster> {
  return readRosterOf(await requirePlace(organizationId));
}

/** Where an organization's items are, by its id. @throws organization_not_found */
export async function requirePlace(organizationId: string): Promise<Pick<OrganizationRecord, 'id' | 'slug'>> {
  const pointer = await find(at(organizationPointerRecord, organizationId));
  if (pointer === undefined) throw organizationNotFound();
  return { id: organizationId, slug: pointer.orgSlug };
}

/**
 * The same by its slug as well. The organization is read last: if the slug still names it then, nothing before was
 * another tenant's who got the slug after it.
 * @throws organization_not_found
 */
export async function readRosterOf({ id, slug }: Pick<OrganizationRecord, 'id' | 'slug'>): Promise<Roster> {
  const items = await queryItems(ranges.roster(slug));
  const [organization] = ofKind(organizationRecord, items);
  if (organization?.id !== id || organization.status !== 'active') throw organizationNotFound();
  const members = ofKind(memberRecord, items);
  const { pending, dead } = sortInvitations(ofKind(invitationRecord, items), members);
  return {
    organization,
    members: members.sort((a, b) => a.joinedAt.localeCompare(b.joinedAt) || a.id.localeCompare(b.id)),
    invitations: pending.sort((a, b) => a.createdAt.localeCompare(b.createdAt) || a.id.localeCompare(b.id)),
    expired: dead,
  };
}
