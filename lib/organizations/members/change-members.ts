import { isDeepStrictEqual } from 'node:util';
import type { MemberContext } from '../../access/request-context.ts';
import { givesFreshRights } from '../../contracts/fields/project-role.ts';
import { hasFreshRights, outranks, type Role } from '../../contracts/fields/role.ts';
import { ApiError, organizationNotFound } from '../../core/errors.ts';
import type { Key } from '../../table/entity.ts';
import { asRead, equals, greaterThan, isNew } from '../../table/expressions.ts';
import { at, readTogether } from '../../table/read.ts';
import type { IdentityRecord } from '../../table/records/identity.ts';
import {
  type InvitationRecord,
  type MemberRecord,
  memberRecord,
  type OrganizationRecord,
  organizationRecord,
  removedMemberRecord,
} from '../../table/records/organization.ts';
import { accountLinkRecord } from '../../table/records/sign-in.ts';
import { asRevocation } from '../../table/revocations.ts';
import {
  check,
  put,
  remove,
  retryWithFreshRead,
  transact,
  transactIfHolds,
  update,
  type Write,
} from '../../table/write.ts';
import { ownerIsDispensable } from '../break-glass.ts';
import { changeCounts } from '../change-counts.ts';
import { keysOfTokensOf, membershipEnd, sweep } from './end-membership.ts';
import { endableOf, endRest, findLeft, identityEndings, type Left, listAllIdentities } from './made-by-member.ts';
import { invitationRemoval } from './new-member.ts';
import { ownsMore } from './owns-more.ts';
import { withGiven } from './project-roles.ts';
import { type Roster, readRosterOf, requirePlace } from './read-roster.ts';

/**
 * Gives a member another role from their next request on. Writes nothing if a person already gave the member that role.
 * Owners and admins are not limited to projects, so becoming one ends that.
 * @throws member_not_found, last_owner; step_up_required if either role has fresh rights
 */
export async function changeRole(
  context: MemberContext,
  { memberId, role }: { memberId: string; role: Role },
  foreseen: Roster,
): Promise<MemberRecord> {
  const { organization } = context;
  const readAgain = () => readRosterOf(organization);
  return retryWithFreshRead(foreseen, readAgain, async ({ members, organization: current }) => {
    const member = members.find(({ id }) => id === memberId);
    if (member === undefined) throw memberNotFound();
    context.requireFresh(hasFreshRights(role) || hasFreshRights(member.role));
    const isLower = outranks(member.role, role);
    context.requireRevocation(isLower);
    // The next sign-in leaves an owner's rights alone.
    const limit = hasFreshRights(role) ? { limited: false } : {};
    const given = role === 'owner' ? {} : withGiven(member, { role, ...limit });
    const isGiven = isDeepStrictEqual(given.addedByRules ?? member.addedByRules, member.addedByRules);
    if (member.role === role && isGiven) return member;
    const item = at(memberRecord, organization.slug, member.userId);
    const set = { role, ...(hasFreshRights(role) ? { limited: undefined } : {}), ...given };
    const writes = [
      ownerCountChange(organization, Number(role === 'owner') - Number(member.role === 'owner')),
      ...(member.role === 'owner' ? await ownerIsDispensable(current, member.userId) : []),
      update(item, { set }, { if: asRead(member, ['id', 'role', 'addedByRules']) }),
      ...(role === 'owner' ? [ownsMore(member.userId)] : []),
      await context.audit({
        action: 'member.role_changed',
        target: { type: 'member', id: memberId, name: member.email },
        details: { from: member.role, to: role },
      }),
    ];
    await transact(isLower ? asRevocation(writes) : writes);
    return { ...member, ...set };
  });
}

/**
 * Changes the counts. One owner always remains, even when owners demote or remove each other concurrently: the
 * transaction then throws last_owner.
 */
export function ownerCountChange(
  organization: { id: string; slug: string },
  owners: number,
  others: { memberCount?: number; identityCount?: number } = {},
): Write {
  const oneRemains = {
    if: { ownerCount: greaterThan(1) },
    refused: () => new ApiError('last_owner', 'This is the last owner: make another member an owner first.'),
  };
  return changeCounts(organization, { ...others, ownerCount: owners }, owners < 0 ? oneRemains : undefined);
}

export const memberNotFound = () =>
  new ApiError('member_not_found', 'There is no such member or invitation in this organization.');

/** Two round trips, in parallel with authentication. @throws organization_not_found */
export async function readBeforeRemoving(organizationId: string, endIdentities: boolean) {
  return readRemoval(await requirePlace(organizationId), endIdentities);
}

async function readRemoval(place: Pick<OrganizationRecord, 'id' | 'slug'>, endIdentities: boolean) {
  const [roster, identities] = await Promise.all([readRosterOf(place), endIdentities ? listAllIdentities(place) : []]);
  return { roster, identities };
}

/**
 * Removes a member, or cancels the invitation with that id. A removal is one transaction of a fixed size: the tokens
 * bound to the organization name the membership and are invalid without it. Nothing that the member creates meanwhile
 * delays it.
 * @param endIdentities also ends the member's identities: as many as fit in the same transaction, the others, including
 * those created concurrently, right after it
 * @returns what the member created and what remains
 * @throws member_not_found, forbidden for an admin removing an owner, last_owner; step_up_required to end identities,
 * and if the role has fresh rights unless members remove themselves
 */
export async function removeMember(
  context: MemberContext,
  { id, endIdentities }: { id: string; endIdentities: boolean },
  foreseen: Awaited<ReturnType<typeof readRemoval>>,
): Promise<Left> {
  const { organization } = context;
  const readAgain = () => readRemoval(organization, endIdentities);
  const found = foreseen.roster.members.find(candidate => candidate.id === id);
  const removed = await retryWithFreshRead(foreseen, readAgain, async ({ roster, identities }) => {
    const member = roster.members.find(candidate => candidate.id === id);
    if (member !== undefined) {
      const { role } = context.access.membership;
      if (outranks(member.role, role)) {
        throw new ApiError('forbidden', `The role ${role} may not remove a member with the role ${member.role}.`);
      }
      const isOwn = member.userId === context.principal.userId;
      context.requireFresh(endIdentities || (!isOwn && givesFreshRights(member)));
      const ended = endableOf(organization, identities, member.userId);
      return { member, dead: await endMembership(context, roster.organization, member, ended) };
    }
    const invitation = roster.invitations.find(candidate => candidate.id === id);
    if (invitation === undefined && found !== undefined && (await keepOut(context, found))) {
      return { member: found, dead: [] };
    }
    if (invitation === undefined) throw memberNotFound();
    context.requireFresh(endIdentities || givesFreshRights(invitation));
    await cancelInvitation(context, invitation);
    return undefined;
  });
  if (removed === undefined) return { identities: [], webhooks: [] };
  // The former member can't create anything more.
  const { userId } = removed.member;
  const reading = endIdentities ? endRest(context, userId) : findLeft(organization, userId);
  const [left] = await Promise.all([reading, sweep(context, userId, removed.dead)]);
  return left;
}

/**
 * The provider's rules have ended the membership while somebody removed the member. Without this, they could also bring
 * the person back. @returns false if the membership didn't end so, or has begun again
 */
async function keepOut(context: MemberContext, { id, userId, role, email }: MemberRecord): Promise<boolean> {
  const { id: organizationId, slug } = context.organization;
  const note = { organizationId, removedAt: new Date().toISOString() };
  const isEndedByRules = { organizationId: equals(organizationId), byRules: equals(true) };
  const writes = [
    check(at(memberRecord, slug, userId), { if: isNew }),
    put(at(removedMemberRecord, slug, userId), note, { if: isEndedByRules }),
    remove(at(accountLinkRecord, userId, organizationId)),
    await context.audit({ action: 'member.removed', target: { type: 'member', id, name: email }, details: { role } }),
  ];
  return transactIfHolds(asRevocation(writes));
}

/** Ends the caller's own membership. @throws last_owner; organization_not_found if the membership ends meanwhile */
export async function leaveOrganization(context: MemberContext): Promise<void> {
  const { organization, principal, access } = context;
  const readAgain = async () => {
    const current = await readTogether({
      organization: at(organizationRecord, organization.slug),
      member: at(memberRecord, organization.slug, principal.userId),
    });
    if (current.organization?.id !== organization.id || current.member?.id !== access.member.id) {
      throw organizationNotFound();
    }
    return { organization: current.organization, member: current.member };
  };
  const foreseen = { organization, member: access.membership };
  const end = (current: typeof foreseen) => endMembership(context, current.organization, current.member, []);
  const dead = await retryWithFreshRead(foreseen, readAgain, end);
  await sweep(context, principal.userId, dead);
}

/** @returns the keys of the tokens that end with the membership */
async function endMembership(
  context: MemberContext,
  current: OrganizationRecord,
  member: MemberRecord,
  ended: readonly IdentityRecord[],
): Promise<Key[]> {
  const { id: organizationId } = context.organization;
  const { id, userId, role, email } = member;
  const counts = { memberCount: -1, identityCount: -ended.length };
  const dispensable = role === 'owner' ? await ownerIsDispensable(current, userId) : [];
  const writes = [
    ownerCountChange(context.organization, role === 'owner' ? -1 : 0, counts),
    ...membershipEnd(context.organization, member, ['id', 'role']),
    remove(at(accountLinkRecord, userId, organizationId)),
    ...dispensable,
    await context.audit({
      action: 'member.removed',
      target: { type: 'member', id, name: email },
      details: { role, ...(userId === context.principal.userId ? { left: true } : {}) },
    }),
    ...(await identityEndings(context, ended)),
  ];
  const [dead] = await Promise.all([keysOfTokensOf(organizationId, member), transact(asRevocation(writes))]);
  return dead;
}

async function cancelInvitation(context: MemberContext, invitation: InvitationRecord): Promise<void> {
  const { organization } = context;
  const { id, email } = invitation;
  const target = { type: 'invitation', id, name: email } as const;
  await transact(
    asRevocation([
      changeCounts(organization, { invitationCount: -1 }),
      ...invitationRemoval(organization.slug, invitation),
      await context.audit({ action: 'member.invitation_cancelled', target }),
    ]),
  );
}
