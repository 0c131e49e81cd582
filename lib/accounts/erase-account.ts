import { type AuditActor, auditWrite } from '../audit/write.ts';
import { chunksOf } from '../core/chunks-of.ts';
import type { EraseAccount } from '../core/job.ts';
import type { Log } from '../core/logger.ts';
import { queueJob } from '../core/queue.ts';
import { changeCounts } from '../organizations/change-counts.ts';
import { ownerCountChange } from '../organizations/members/change-members.ts';
import { asRead, equals, isNew } from '../table/expressions.ts';
import { ranges } from '../table/keys.ts';
import { at, find, list, queryPage, readTogether } from '../table/read.ts';
import {
  memberRecord,
  membershipRecord,
  organizationRecord,
  removedMemberRecord,
} from '../table/records/organization.ts';
import { accountLinkRecord } from '../table/records/sign-in.ts';
import { endAccountWork } from '../table/records/unfinished-work.ts';
import { emailRecord, emailUndoRecord, passkeyOwnerRecord, passkeyRecord, userRecord } from '../table/records/user.ts';
import { asRevocation } from '../table/revocations.ts';
import { put, remove, removeAll, retryOnConditionFailed, transact, transactIfHolds } from '../table/write.ts';

const membershipsPerStep = 50;
const membershipsAtOnce = 5;
/** Fits in a page of a Query. */
const itemsAtOnce = 250;

/**
 * One step of erasing a closed account; queues the next while anything is left. Safe to run twice, concurrently, or
 * late: ids of accounts are never used again.
 */
export async function eraseAccount(job: EraseAccount, log: Log): Promise<void> {
  const { userId } = job;
  if ((await find(at(userRecord, userId))) !== undefined) return;
  const memberships = await list(membershipRecord, ranges.memberships(userId));
  for (const chunk of chunksOf(membershipsAtOnce, memberships.slice(0, membershipsPerStep))) {
    await Promise.all(chunk.map(membership => endMembership(job, membership)));
  }
  if (memberships.length > membershipsPerStep) {
    await queueJob(job);
    return;
  }
  await freeUniqueItems(userId);
  for (;;) {
    const { items } = await queryPage({ ...ranges.account(userId), pageSize: itemsAtOnce, attributes: ['pk', 'sk'] });
    if (items.length === 0) break;
    await removeAll(items as unknown as Parameters<typeof removeAll>[0]);
  }
  await transact([endAccountWork(userId)]);
  log.info('erased an account', { userId });
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
    // Erasing an organization ends its members.
    if (organization?.id !== organizationId || organization.status !== 'active') return transact(own);
    const note = put(at(removedMemberRecord, orgSlug, userId), { organizationId, removedAt: new Date().toISOString() });
    if (member === undefined) return transact([...own, note]);
    const { id, role, email } = member;
    await transact(
      asRevocation([
        role === 'owner'
          ? ownerCountChange(organization, -1, { memberCount: -1 })
          : changeCounts(organization, { memberCount: -1 }),
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

/** What would keep another account from having the same passkey or an earlier address. */
async function freeUniqueItems(userId: string): Promise<void> {
  const [passkeys, undos] = await Promise.all([
    list(passkeyRecord, ranges.passkeys(userId)),
    list(emailUndoRecord, ranges.emailUndos(userId)),
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
