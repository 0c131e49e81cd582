import { organizationNotFound } from '../../core/errors.ts';
import { ranges } from '../../table/keys.ts';
import { at, find, ofKind, queryItems } from '../../table/read.ts';
import {
  type InvitationRecord,
  invitationRecord,
  type MemberRecord,
  memberRecord,
  type OrganizationRecord,
  organizationPointerRecord,
  organizationRecord,
  sortInvitations,
} from '../../table/records/organization.ts';

export interface Roster {
  organization: OrganizationRecord;
  /** In the order they joined. */
  members: MemberRecord[];
  /** Pending ones, oldest first. */
  invitations: InvitationRecord[];
  /** Still stored and counted, but invalid: they expired, or their inviter may no longer send them. */
  expired: InvitationRecord[];
}

/** Two round trips, in parallel with authentication, which decides who may see it. @throws organization_not_found */
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
 * One query reads the roster in key order, with the organization last: if the slug still names it then, no item read
 * before belongs to a later owner of the slug. @throws organization_not_found
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
