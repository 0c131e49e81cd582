import { type AuditActor, auditWrite } from '../audit/write.ts';
import type { Role } from '../contracts/fields/role.ts';
import { chunksOf } from '../core/chunks-of.ts';
import { type EraseAccount, lastRequestsSeconds } from '../core/job.ts';
import type { Log } from '../core/logger.ts';
import { changeCounts } from '../organizations/change-counts.ts';
import { ownerCountChange } from '../organizations/members/change-members.ts';
import { renewedRevision } from '../table/access-revision.ts';
import type { Key } from '../table/entity.ts';
import { asRead, equals, isNew } from '../table/expressions.ts';
import { ranges, rareRanges } from '../table/keys.ts';
import { at, find, type Item, list, queryPages, readTogether } from '../table/read.ts';
import { isKept, isStillKept } from '../table/records/kept.ts';
import {
  memberRecord,
  membershipRecord,
  type OrganizationRecord,
  organizationRecord,
  removedMemberRecord,
} from '../table/records/organization.ts';
import { accountLinkRecord } from '../table/records/sign-in.ts';
import { endAccountWork } from '../table/records/unfinished-work.ts';
import { emailRecord, emailUndoRecord, passkeyOwnerRecord, passkeyRecord, userRecord } from '../table/records/user.ts';
import { asRevocation } from '../table/revocations.ts';
import {
  put,
  remove,
  removeAll,
  retryOnConditionFailed,
  transact,
  transactIfHolds,
  update,
  type Write,
} from '../table/write.ts';

const membershipsPerStep = 100;
const membershipsAtOnce = 5;

/**
 * One step of erasing a closed account. Safe to run twice, concurrently, or late: ids of accounts are never used again. A
 * minute later, another step finds what requests added that had read the account.
 * @returns the next step, and in how many seconds to run it, unless nothing is left
 */
export async function eraseAccount(
  job: EraseAccount,
  log: Log,
): Promise<{ next: EraseAccount; delaySeconds: number } | undefined> {
  const { userId, isLate } = job;
  if ((await find(at(userRecord, userId))) !== undefined) return undefined;
  const memberships = await list(membershipRecord, ranges.memberships(userId));
  for (const chunk of chunksOf(membershipsAtOnce, memberships.slice(0, membershipsPerStep))) {
    await Promise.all(chunk.map(membership => endMembership(job, membership)));
  }
  if (memberships.length > membershipsPerStep) {
    return { next: job, delaySeconds: 0 };
  }
  await freeUniqueItems(userId);
  for await (const items of queryPages({ ...ranges.account(userId), attributes: ['pk', 'sk'] })) {
    const isMembership = ({ sk }: Item) => String(sk).startsWith(ranges.memberships(userId).beginsWith);
    // A membership that has begun meanwhile leads to its member.
    await removeAll(items.filter(item => !isMembership(item)) as unknown as Key[]);
  }
  if (isLate !== true) return { next: { ...job, isLate: true }, delaySeconds: lastRequestsSeconds };
  await transact([endAccountWork(userId)]);
  log.info('erased an account', { userId });
  return undefined;
}

type Membership = ReturnType<typeof membershipRecord.parse>;

/**
 * Ends the membership like a member who leaves, if it hasn't ended with the account. The note remains, so that the
 * organization's provider doesn't make the person a member again.
 */
function endMembership({ userId, closing }: EraseAccount, { organizationId, orgSlug }: Membership): Promise<void> {
  const actor: AuditActor = { id: userId, email: closing.email, type: 'session' };
  const own = [
    remove(at(membershipRecord, userId, organizationId)),
    remove(at(accountLinkRecord, userId, organizationId)),
  ];
  return retryOnConditionFailed(async () => {
    const { organization, member } = await readTogether({
      organization: at(organizationRecord, orgSlug),
      member: at(memberRecord, orgSlug, userId),
    });
    // Erasing an organization ends its members. One that can be restored must not come back with this one.
    const isThere = organization?.id === organizationId && (organization.status === 'active' || isKept(organization));
    if (!isThere) return transact(own);
    const note = put(at(removedMemberRecord, orgSlug, userId), { organizationId, removedAt: new Date().toISOString() });
    if (member === undefined) return transact([...own, note]);
    const { id, role, email } = member;
    await transact(
      asRevocation([
        memberGone(organization, role),
        remove(at(memberRecord, orgSlug, userId), { if: asRead(member, ['id', 'role']) }),
        ...own,
        note,
        await auditWrite(organization, actor, closing, {
          action: 'member.removed',
          target: { type: 'member', id, name: email },
          details: { role, left: true, accountClosed: true },
        }),
      ]),
    );
  });
}

/** Of a deleted organization, no owner has to remain: then nobody restores it. */
function memberGone(organization: OrganizationRecord, role: Role): Write {
  const [memberCount, ownerCount] = [-1, role === 'owner' ? -1 : 0];
  if (isKept(organization)) {
    const changes = { add: { memberCount, ownerCount }, set: renewedRevision() };
    return update(at(organizationRecord, organization.slug), changes, { if: isStillKept(organization) });
  }
  if (role === 'owner') return ownerCountChange(organization, ownerCount, { memberCount });
  return changeCounts(organization, { memberCount });
}

/** What would keep another account from having the same passkey or an earlier address. */
async function freeUniqueItems(userId: string): Promise<void> {
  const [passkeys, undos] = await Promise.all([
    list(passkeyRecord, ranges.passkeys(userId)),
    list(emailUndoRecord, rareRanges.emailUndos(userId)),
  ]);
  const isOwn = { if: [isNew, { userId: equals(userId) }] };
  const isReserved = { if: [isNew, { reservedFor: equals(userId) }] };
  const addresses = new Map(undos.map(({ email }) => [at(emailRecord, email).key.pk, email]));
  const removals = [
    ...passkeys.map(({ credentialId }) => remove(at(passkeyOwnerRecord, credentialId), isOwn)),
    ...[...addresses.values()].map(email => remove(at(emailRecord, email), isReserved)),
  ];
  for (const chunk of chunksOf(membershipsAtOnce, removals)) {
    await Promise.all(chunk.map(removal => transactIfHolds([removal])));
  }
}
