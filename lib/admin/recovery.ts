import { randomUUID } from 'node:crypto';
import type { AccountContext } from '../access/request-context.ts';
import type { startRecovery as start, advanceRecovery as step } from '../contracts/admin/recovery.ts';
import type { BodyOf } from '../contracts/contract.ts';
import type { Recovery } from '../contracts/fields/recovery.ts';
import { ApiError, invalidRequest } from '../core/errors.ts';
import { memberNotFound } from '../organizations/members/change-members.ts';
import { newMember } from '../organizations/members/new-member.ts';
import {
  factsOf,
  queueNotice,
  recoveryClosed,
  recoveryNotFound,
  recoveryView,
  type StoredRecovery,
  stepOf,
  stop,
  waitingRecovery,
} from '../organizations/recovery.ts';
import { renewedRevision } from '../table/access-revision.ts';
import { absent, asRead, equals, isActive } from '../table/expressions.ts';
import { at, find, readTogether } from '../table/read.ts';
import { memberRecord, type OrganizationRecord, organizationRecord } from '../table/records/organization.ts';
import { emailRecord, type UserRecord, userRecord } from '../table/records/user.ts';
import { ConditionFailed, check, retryOnConditionFailed, transact, update, type Write } from '../table/write.ts';
import { getOrganization } from './organizations.ts';

type Pointer = { orgSlug: string } | undefined;

/**
 * Starts the recovery of an organization, or returns the same one if the same administrator has started it.
 * @throws organization_not_found, invalid_request, self_approval, recovery_in_progress
 */
export async function startRecovery(
  context: AccountContext,
  organizationId: string,
  { email, reason }: BodyOf<typeof start>,
  pointer: Pointer,
): Promise<Recovery> {
  const user = await findVerified(email);
  if (user === undefined) throw unsuitable('must belong to an account with a verified e-mail address');
  requireOthers(context, user.id);
  return retryOnConditionFailed(async () => {
    const organization = await getOrganization(organizationId, pointer);
    const { recovery: earlier, slug } = organization;
    if (earlier !== undefined && waitingRecovery(organization) !== undefined) {
      const isSame = earlier.startedBy.id === context.principal.userId && earlier.newOwner.userId === user.id;
      if (isSame) return recoveryView(earlier);
      throw new ApiError('recovery_in_progress', 'A recovery of this organization is waiting: stop it first.');
    }
    const member = await find(at(memberRecord, slug, user.id));
    requireSuitable(organization, member);
    const recovery: StoredRecovery = {
      id: randomUUID(),
      state: 'waiting',
      reason,
      newOwner: { userId: user.id, email: user.email, memberId: member?.id ?? null },
      startedBy: referenceTo(context),
      startedAt: new Date().toISOString(),
      approvedBy: null,
      notifiedAt: null,
      endedAt: null,
    };
    await queueNotice(organization, recovery, 'waiting');
    const unchanged =
      earlier === undefined
        ? { recovery: absent }
        : { 'recovery.id': equals(earlier.id), 'recovery.state': equals(earlier.state) };
    const starting = { if: { ...isActive(organization.id), ...unchanged } };
    await transact([
      update(at(organizationRecord, slug), { set: { recovery } }, starting),
      await context.auditIn(organization, factsOf(organization, recovery, 'started', { reason })),
    ]);
    return recoveryView(recovery);
  });
}

async function findVerified(email: string): Promise<UserRecord | undefined> {
  const pointer = await find(at(emailRecord, email));
  const user = pointer && (await find(at(userRecord, pointer.userId)));
  return user?.emailVerified === true ? user : undefined;
}

/** No administrator gives an organization to themselves. @throws self_approval */
function requireOthers({ principal: { userId } }: AccountContext, newOwnerId: string): void {
  if (userId !== newOwnerId) return;
  throw new ApiError('self_approval', 'You can’t make yourself an owner. Other administrators have to.');
}

/** While members remain who aren’t owners, no stranger can be named. @throws invalid_request */
function requireSuitable({ memberCount, ownerCount }: OrganizationRecord, member: { role: string } | undefined): void {
  if (member?.role === 'owner') throw unsuitable('is an owner already');
  if (member === undefined && memberCount > ownerCount) {
    throw unsuitable('must belong to a member, because the organization has members who are not owners');
  }
}

const unsuitable = (message: string) => invalidRequest([{ path: 'email', message }]);

function referenceTo({ principal: { user } }: AccountContext) {
  return { id: user.id, email: user.email };
}

/**
 * Approves, completes or stops a recovery. Repeating a step changes nothing.
 * @throws organization_not_found, recovery_not_found, recovery_closed, self_approval, recovery_not_ready,
 * member_not_found
 */
export async function advanceRecovery(
  context: AccountContext,
  organizationId: string,
  requested: BodyOf<typeof step>,
  pointer: Pointer,
): Promise<Recovery> {
  return retryOnConditionFailed(async () => {
    const organization = await getOrganization(organizationId, pointer);
    const { recovery } = organization;
    if (recovery?.id !== requested.id) throw recoveryNotFound();
    return recoveryView(await steps[requested.step](context, organization, recovery));
  });
}

type Step = (
  context: AccountContext,
  organization: OrganizationRecord,
  recovery: StoredRecovery,
) => Promise<StoredRecovery>;

const steps: Readonly<Record<BodyOf<typeof step>['step'], Step>> = {
  approve,
  complete,
  stop: (context, organization, { id }) =>
    stop(organization, { audit: context.auditIn, details: { via: 'operator' }, recoveryId: id }),
};

async function approve(...[context, organization, recovery]: Parameters<Step>): Promise<StoredRecovery> {
  if (recovery.approvedBy?.id === context.principal.userId) return recovery;
  requireWaiting(organization);
  requireOthers(context, recovery.newOwner.userId);
  if (recovery.startedBy.id === context.principal.userId) {
    throw new ApiError('self_approval', 'You started this recovery. Another administrator has to approve it.');
  }
  if (recovery.approvedBy !== null) return recovery;
  const approvedBy = referenceTo(context);
  await transact([
    stepOf(organization, recovery, { set: { 'recovery.approvedBy': approvedBy } }),
    await context.auditIn(organization, factsOf(organization, recovery, 'approved')),
  ]);
  return { ...recovery, approvedBy };
}

function requireWaiting(organization: OrganizationRecord): Recovery {
  const waiting = waitingRecovery(organization);
  if (waiting === undefined) throw recoveryClosed();
  return waiting;
}

async function complete(...[context, organization, recovery]: Parameters<Step>): Promise<StoredRecovery> {
  if (recovery.state === 'completed') return recovery;
  const { waitsUntil } = requireWaiting(organization);
  const { approvedBy, newOwner, startedBy } = recovery;
  if (approvedBy === null) throw notReady('Another administrator has to approve this recovery first.');
  if (waitsUntil === null) throw notReady('The mails about this recovery have not all been sent yet.');
  if (Date.parse(waitsUntil) > Date.now()) throw notReady(`This recovery waits until ${waitsUntil}.`);
  const endedAt = new Date().toISOString();
  const { writes, ownerCount, memberCount } = await ownership(context, organization, newOwner);
  const set = { ...renewedRevision(), 'recovery.state': 'completed', 'recovery.endedAt': endedAt } as const;
  await queueNotice(organization, recovery, 'completed');
  await transact([
    stepOf(organization, recovery, { set, add: { ownerCount, memberCount } }),
    stillAdmin(startedBy),
    stillAdmin(approvedBy),
    ...writes,
    await context.auditIn(organization, factsOf(organization, recovery, 'completed')),
  ]);
  return { ...recovery, state: 'completed', endedAt };
}

const notReady = (message: string) => new ApiError('recovery_not_ready', message);

/** Whoever lost the right meanwhile can't have meant well. */
function stillAdmin({ id, email }: { id: string; email: string }): Write {
  const refused = () => notReady(`${email} is no longer an administrator: stop this recovery and start another.`);
  return check(at(userRecord, id), { if: { isAdmin: equals(true) }, refused });
}

/** The writes that make the person an owner, with their audit entry, and what they add to the counts. */
async function ownership(
  context: AccountContext,
  organization: OrganizationRecord,
  { userId, memberId }: StoredRecovery['newOwner'],
): Promise<{ writes: Write[]; ownerCount: number; memberCount: number }> {
  const { user, member } = await readTogether({
    user: at(userRecord, userId),
    member: at(memberRecord, organization.slug, userId),
  });
  if (user === undefined || (memberId !== null && member?.id !== memberId)) throw memberNotFound();
  const refused = (current: Partial<UserRecord> = {}) =>
    current.emailVerified === true ? new ConditionFailed([]) : notReady('The person’s e-mail address is not verified.');
  const isVerified = { if: { emailVerified: equals(true), email: equals(user.email) }, refused };
  const involved = update(at(userRecord, userId), { add: { creations: 1 } }, isVerified);
  const via = 'recovery';
  if (member === undefined) {
    const { writes, joined } = newMember(organization, user, { role: 'owner' });
    const entry = await context.auditIn(organization, { ...joined, details: { ...joined.details, via } });
    return { writes: [involved, ...writes, entry], ownerCount: 1, memberCount: 1 };
  }
  const { id, email, role } = member;
  if (role === 'owner') return { writes: [check(at(userRecord, userId), isVerified)], ownerCount: 0, memberCount: 0 };
  const promotion = update(
    at(memberRecord, organization.slug, userId),
    { set: { role: 'owner', limited: undefined } },
    { if: asRead(member, ['id', 'role']) },
  );
  const target = { type: 'member', id, name: email } as const;
  const details = { from: role, to: 'owner', via };
  const entry = await context.auditIn(organization, { action: 'member.role_changed', target, details });
  return { writes: [involved, promotion, entry], ownerCount: 1, memberCount: 0 };
}
