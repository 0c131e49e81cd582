import { randomUUID } from 'node:crypto';
import type { RequestContext } from '../../access/request-context.ts';
import { type AuditFacts, auditWrite } from '../../audit/write.ts';
import type { Role } from '../../contracts/fields/role.ts';
import { organizationNotFound } from '../../core/errors.ts';
import { effectiveLimits, isUnlimited, planLimitExceeded, recentPlanConfigs } from '../../plans/effective-limits.ts';
import { equals, isNew } from '../../table/expressions.ts';
import { at } from '../../table/read.ts';
import type { InvitationRecord } from '../../table/records/invitation.ts';
import {
  type MemberRecord,
  memberRecord,
  membershipRecord,
  type removedMemberRecord,
} from '../../table/records/member.ts';
import { type OrganizationRecord, organizationRecord } from '../../table/records/organization.ts';
import type { SignInRecord } from '../../table/records/sign-in.ts';
import type { UserRecord } from '../../table/records/user.ts';
import { check, put, update, type Write } from '../../table/write.ts';
import { changeCounts } from '../change-counts.ts';
import { rolesThatMayInvite } from './accept-invitation.ts';
import { invitationId } from './invitation-id.ts';
import { invitationRemoval, sweptAtOnce } from './invite-member.ts';
import { readRosterOf } from './read-roster.ts';

export type RemovedMemberRecord = ReturnType<typeof removedMemberRecord.parse>;

/** Of a person who may join. */
export interface Joining {
  organization: Pick<OrganizationRecord, 'id' | 'slug'>;
  signIn: Pick<SignInRecord, 'defaultRole'>;
  /** The last membership that ended under the organization's slug. */
  removed: RemovedMemberRecord | undefined;
}

/**
 * The writes that make a user whom the provider has proved a member: with the role of their invitation, or with the
 * default role. Whoever was a member before has to accept an invitation in a session of their own: the organization's
 * provider must not accept it for them.
 * @throws organization_not_found if they need an invitation; plan_limit_exceeded
 */
export async function joinWithProvider(
  context: RequestContext,
  user: UserRecord,
  { organization, signIn: { defaultRole }, removed }: Joining,
): Promise<Write[]> {
  const { id, slug } = organization;
  if (removed?.organizationId === id) throw organizationNotFound();
  const roster = await readRosterOf(organization);
  const invitation = roster.invitations.find(one => one.id === invitationId(id, user.email));
  if (invitation !== undefined) return invited(context, roster.organization, user, invitation);
  if (defaultRole === null) throw organizationNotFound();
  const { memberCount, invitationCount } = roster.organization;
  const { maxMembers } = effectiveLimits(roster.organization, await recentPlanConfigs()).effective;
  // Only what is removed here makes room: a dead invitation is valid again once its inviter may send it again.
  const swept = roster.expired.slice(0, sweptAtOnce);
  const used = memberCount + invitationCount - swept.length;
  if (!isUnlimited(maxMembers) && used >= maxMembers) throw planLimitExceeded('maxMembers', maxMembers, used);
  // A condition can't add, so both counts must be unchanged since their sum was compared with the limit.
  const asCounted = { memberCount: equals(memberCount), invitationCount: equals(invitationCount) };
  return [
    // Without an error of its own: whatever has changed, the next attempt reads it again.
    update(
      at(organizationRecord, slug),
      { add: { memberCount: 1, invitationCount: -swept.length } },
      { if: { ...asCounted, id: equals(id), status: equals('active') } },
    ),
    ...swept.flatMap(one => invitationRemoval(slug, one)),
    ...(await membershipWrites(context, roster.organization, user, defaultRole)),
  ];
}

async function invited(
  context: RequestContext,
  organization: OrganizationRecord,
  user: UserRecord,
  invitation: InvitationRecord,
): Promise<Write[]> {
  const { role } = invitation;
  return [
    changeCounts(organization, { memberCount: 1, invitationCount: -1, ownerCount: role === 'owner' ? 1 : 0 }),
    ...invitationRemoval(organization.slug, invitation),
    check(at(memberRecord, organization.slug, invitation.invitedBy.id), { if: rolesThatMayInvite(role) }),
    ...(await membershipWrites(context, organization, user, role)),
  ];
}

async function membershipWrites(
  { source }: RequestContext,
  organization: OrganizationRecord,
  { id: userId, email, name }: UserRecord,
  role: Role,
): Promise<Write[]> {
  const { id, slug } = organization;
  const member: MemberRecord = { id: randomUUID(), userId, email, name, role, joinedAt: new Date().toISOString() };
  const facts: AuditFacts = {
    action: 'member.joined',
    target: { type: 'member', id: member.id, name: email },
    details: { role, via: 'provider' },
  };
  return [
    put(at(memberRecord, slug, userId), member, { if: isNew }),
    put(at(membershipRecord, userId, id), { organizationId: id, orgSlug: slug }),
    await auditWrite(organization, { id: userId, email, type: 'session' }, source, facts),
  ];
}
