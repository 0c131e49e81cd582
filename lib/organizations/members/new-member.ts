import { randomUUID } from 'node:crypto';
import { sessionConfined, sessionRequired } from '../../access/authorize.ts';
import { onlyOrganizationOf } from '../../access/principal.ts';
import type { AccountContext, RequestContext } from '../../access/request-context.ts';
import { type AuditFacts, auditWrite } from '../../audit/write.ts';
import { applyRoleRules } from '../../contracts/fields/apply-role-rules.ts';
import { mayInvite } from '../../contracts/fields/member-rights.ts';
import { seenBy } from '../../contracts/fields/organization.ts';
import { roles } from '../../contracts/fields/role.ts';
import { normalizeEmail } from '../../contracts/fields/text.ts';
import { ApiError, organizationNotFound } from '../../core/errors.ts';
import { hashCredential, readCredential } from '../../crypto/credentials.ts';
import { derivedUuid } from '../../crypto/derived-uuid.ts';
import { effectiveLimits, isUnlimited, planLimitExceeded, recentPlanConfigs } from '../../plans/effective-limits.ts';
import { renewedRevision } from '../../table/access-revision.ts';
import { asRead, equals, isNew } from '../../table/expressions.ts';
import { at, find, readTogether } from '../../table/read.ts';
import {
  type InvitationRecord,
  invitationPointerRecord,
  invitationRecord,
  isPending,
  type MemberRecord,
  memberRecord,
  membershipRecord,
  type OrganizationRecord,
  organizationRecord,
  removedMemberRecord,
} from '../../table/records/organization.ts';
import type { PlanConfigs } from '../../table/records/platform.ts';
import type { UserRecord } from '../../table/records/user.ts';
import { check, put, remove, transact, update, type Write } from '../../table/write.ts';
import { changeCounts } from '../change-counts.ts';
import { ownsMore } from './owns-more.ts';
import { auditedIfGiven, viewMember } from './project-roles.ts';
import { type RulesOfSignIn, ruleDetails, storedAsGiven } from './provider-rules.ts';
import { type Roster, readRosterOf } from './read-roster.ts';

interface Joins {
  throughProvider?: Pick<MemberRecord, 'via' | 'addedByRules' | 'providerSignInAt'>;
  joinedAt?: string;
  /** The organization is new too, so an item under its slug can only be a leftover of an erased one. */
  isFounder?: boolean;
  refused?: () => Error;
}

/** Both sides of a new membership, for the transaction that also changes the counts and records `joined`. */
export function newMember(
  { id: organizationId, slug: orgSlug }: Pick<OrganizationRecord, 'id' | 'slug'>,
  { id: userId, email, name }: Pick<UserRecord, 'id' | 'email' | 'name'>,
  { role, limited, projectRoles }: Pick<MemberRecord, 'role' | 'limited' | 'projectRoles'>,
  { throughProvider = {}, joinedAt = new Date().toISOString(), isFounder = false, refused }: Joins = {},
) {
  const rights = { role, limited, projectRoles };
  const member: MemberRecord = { id: randomUUID(), userId, email, name, ...rights, joinedAt, ...throughProvider };
  const target = { type: 'member', id: member.id, name: email } as const;
  return {
    member,
    writes: [
      put(at(memberRecord, orgSlug, userId), member, isFounder ? {} : { if: isNew, refused }),
      put(at(membershipRecord, userId, organizationId), { organizationId, orgSlug }),
    ],
    joined: { action: 'member.joined', target, details: { role, ...auditedIfGiven(rights) } } satisfies AuditFacts,
  };
}

/** The writes that use up an invitation for a new member. Invitations already count towards the member limit. */
function invitationUsed(
  organization: OrganizationRecord,
  invitation: InvitationRecord,
  inviter: MemberRecord | undefined,
  { role }: Pick<MemberRecord, 'role'> = invitation,
): Write[] {
  const ownerCount = role === 'owner' ? 1 : 0;
  return [
    inviterStillMay(organization.slug, invitation, inviter),
    ...invitationRemoval(organization.slug, invitation),
    changeCounts(organization, { memberCount: 1, invitationCount: -1, ownerCount }),
  ];
}

/** How many more members and invitations the plan allows, possibly below 0; Infinity without a limit. */
export function freePlaces(organization: OrganizationRecord, configs: PlanConfigs): number {
  const { maxMembers } = effectiveLimits(organization, configs).effective;
  return isUnlimited(maxMembers)
    ? Number.POSITIVE_INFINITY
    : maxMembers - organization.memberCount - organization.invitationCount;
}

/**
 * Checks the member limit for one more member or invitation.
 * @param removed how many invitations the transaction removes. Any other expired one keeps its place: it is valid again
 * if its inviter regains the right to send it
 * @throws plan_limit_exceeded
 */
export function requireFreePlace(organization: OrganizationRecord, configs: PlanConfigs, removed: number): void {
  if (freePlaces(organization, configs) + removed > 0) return;
  const { maxMembers } = effectiveLimits(organization, configs).effective;
  const used = organization.memberCount + organization.invitationCount - removed;
  throw planLimitExceeded('maxMembers', maxMembers, used);
}

/**
 * Adds to the counts that the member limit compares. A condition can't add, so both must be as they were compared. If
 * one has changed, the transaction throws `ConditionFailed`: read the roster again.
 */
export function changePlaces(organization: OrganizationRecord, add: { memberCount?: number; invitationCount: number }) {
  const asCounted = { ...asRead(organization, ['id', 'memberCount', 'invitationCount']), status: equals('active') };
  const changes = { add, set: renewedRevision() };
  return update(at(organizationRecord, organization.slug), changes, { if: asCounted });
}

type InvitationPointer = ReturnType<typeof invitationPointerRecord.parse>;

/** What the token points to, read in parallel with authentication. Reads nothing for a malformed token. */
export async function findInvitation(token: string): Promise<InvitationPointer | undefined> {
  if (readCredential(token) === undefined) return undefined;
  return find(at(invitationPointerRecord, hashCredential(token)));
}

/**
 * Makes the caller, who holds the token, a member with the invitation's role, and uses up the token. A former member
 * must consent in a session of their own credential: no token and no confined session accepts for them. A confined
 * session accepts only an invitation to its provider's organization.
 * @throws session_confined, insufficient_scope; already_member; invalid_token if it is unknown, used, replaced, expired
 * or its inviter may no longer invite
 */
export async function acceptInvitation(context: AccountContext, token: string, pointer: InvitationPointer | undefined) {
  if (pointer === undefined) throw invalidInvitation();
  const { orgSlug, organizationId, invitationId } = pointer;
  const { user, credential } = context.principal;
  const boundTo = onlyOrganizationOf(context.principal);
  const isOwnSession = boundTo === undefined && credential.method === 'session';
  const { organization, invitation, existing, removed } = await readTogether({
    organization: at(organizationRecord, orgSlug),
    invitation: at(invitationRecord, orgSlug, invitationId),
    existing: at(memberRecord, orgSlug, user.id),
    removed: isOwnSession ? undefined : at(removedMemberRecord, orgSlug, user.id),
  });
  const wasMember = removed?.organizationId === organizationId;
  // The provider could otherwise bring its organization's people elsewhere, or back.
  if (boundTo !== undefined && (boundTo !== organizationId || wasMember)) throw sessionConfined();
  if (wasMember) throw sessionRequired();
  if (organization?.id !== organizationId || organization.status !== 'active') throw invalidInvitation();
  if (existing !== undefined) throw alreadyMember();
  if (invitation?.hash !== hashCredential(token)) throw invalidInvitation();
  const inviter = await find(at(memberRecord, orgSlug, invitation.invitedBy.id));
  if (!isPending(invitation, inviter)) throw invalidInvitation();
  const { member, writes, joined } = newMember(organization, user, invitation, { refused: alreadyMember });
  await transact([
    ...writes,
    ...invitationUsed(organization, invitation, inviter).map(write => ({ ...write, refused: invalidInvitation })),
    ownsMore(user.id, accountClosed),
    await context.auditIn(organization, joined),
  ]);
  return { organization: seenBy(member, organization), member: await viewMember(orgSlug, member) };
}

const accountClosed = () => new ApiError('unauthenticated', 'This account no longer exists.');

const invalidInvitation = () =>
  new ApiError('invalid_token', 'This invitation is not valid: it is unknown, used, cancelled or expired.');

const alreadyMember = () => new ApiError('already_member', 'You are already a member of this organization.');

export type RemovedMemberRecord = ReturnType<typeof removedMemberRecord.parse>;

interface Joining {
  organization: Pick<OrganizationRecord, 'id' | 'slug'>;
  rules: RulesOfSignIn;
  removed: RemovedMemberRecord | undefined;
  /** When the provider answered; by default, now. */
  signedInAt?: string;
}

/** Whether somebody's earlier membership was ended by a person, which the provider must not undo. */
export function wasRemoved(removed: RemovedMemberRecord | undefined, organizationId: string): boolean {
  return removed?.organizationId === organizationId && removed.byRules !== true;
}

/**
 * The writes that make a user of the provider a member: with the rights of their invitation or the default role, and
 * with what the provider's rules give. A former member has to accept an invitation in a session of their own: the
 * organization's provider must not accept it for them. If rules bring them back, it gives them nothing and is used up.
 * If the roster has changed since, the transaction throws `ConditionFailed`.
 * @throws organization_not_found if they need an invitation; plan_limit_exceeded
 */
export async function joinWithProvider(
  { source }: RequestContext,
  user: UserRecord,
  { organization: { id, slug }, rules, removed, signedInAt = new Date().toISOString() }: Joining,
): Promise<Write[]> {
  if (wasRemoved(removed, id)) throw organizationNotFound();
  const roster = await readRosterOf({ id, slug });
  const { organization, members, invitations } = roster;
  const isInvited = (pending: InvitationRecord) => pending.id === invitationId(id, user.email);
  const invitation = invitations.find(isInvited);
  const accepted = removed?.organizationId === id ? undefined : invitation;
  const made = applyRoleRules(rules, accepted);
  if (made === undefined) throw organizationNotFound();
  const inviter = members.find(({ userId }) => userId === invitation?.invitedBy.id);
  const places =
    invitation === undefined
      ? await placeTaken(roster)
      : invitationUsed(organization, invitation, inviter, made.rights);
  const throughProvider = {
    via: accepted === undefined ? ('provider' as const) : undefined,
    addedByRules: made.addedByRules,
    providerSignInAt: signedInAt,
  };
  const { writes, joined } = newMember(organization, user, storedAsGiven(made.rights), { throughProvider });
  const facts = { ...joined, details: { ...joined.details, ...ruleDetails(rules) } };
  const actor = { id: user.id, email: user.email, type: 'session' } as const;
  return [...places, ...writes, await auditWrite(organization, actor, source, facts)];
}

/** The writes that take a place of the plan, and remove expired invitations. @throws plan_limit_exceeded */
async function placeTaken({ organization, expired }: Roster): Promise<Write[]> {
  const swept = expired.slice(0, sweptAtOnce);
  requireFreePlace(organization, await recentPlanConfigs(), swept.length);
  const counted = changePlaces(organization, { memberCount: 1, invitationCount: -swept.length });
  return [counted, ...swept.flatMap(dead => invitationRemoval(organization.slug, dead))];
}

/** How many expired invitations one request removes; each takes two of a transaction's hundred writes. */
export const sweptAtOnce = 40;

/** Always the same for an organization and an address, so of concurrent invitations one replaces the other. */
export function invitationId(organizationId: string, email: string): string {
  return derivedUuid(`${organizationId}\n${normalizeEmail(email)}`);
}

/** The check that the inviter, as read, is a member who could still send this invitation. */
function inviterStillMay(slug: string, invitation: InvitationRecord, inviter: MemberRecord | undefined): Write {
  const roleInProjects = inviter === undefined ? {} : asRead(inviter, ['projectRoles']);
  const inviting = roles.filter(role => mayInvite({ ...inviter, role }, invitation));
  const isInviting = inviting.map(role => ({ role: equals(role), ...roleInProjects }));
  return check(at(memberRecord, slug, invitation.invitedBy.id), { if: isInviting });
}

/** The writes that remove an invitation with its token; the caller lowers the organization's count. */
export function invitationRemoval(slug: string, { id, hash }: InvitationRecord): Write[] {
  const invitation = remove(at(invitationRecord, slug, id), { if: { hash: equals(hash) } });
  return [invitation, remove(at(invitationPointerRecord, hash))];
}
