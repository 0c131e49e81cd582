import type { MemberContext, RequestContext } from '../access/request-context.ts';
import { type AuditFacts, auditWrite, systemActor } from '../audit/write.ts';
import { type Recovery, recoveryEndsAfterDays, recoveryWaitHours } from '../contracts/fields/recovery.ts';
import { ApiError } from '../core/errors.ts';
import { queueJob } from '../core/queue.ts';
import { dayMs, hourMs, isOver } from '../core/time.ts';
import { readCredential } from '../crypto/credentials.ts';
import { type Changes, equals, isActive } from '../table/expressions.ts';
import { at, find, readTogether } from '../table/read.ts';
import {
  type OrganizationRecord,
  organizationPointerRecord,
  organizationRecord,
  recoveryLinkRecord,
} from '../table/records/organization.ts';
import { retryWithFreshRead, transact, update, type Write } from '../table/write.ts';

/*
 * Two platform administrators give an organization another owner if its owners have lost their ways to log in. All of
 * it is one attribute of the organization's item. Every step requires that the recovery with its id is still waiting,
 * so of concurrent steps one wins, and late ones do nothing. `lib/admin/recovery.ts` has the administrators' steps.
 */

export type StoredRecovery = NonNullable<OrganizationRecord['recovery']>;

const endsAtMs = ({ startedAt }: StoredRecovery) => Date.parse(startedAt) + recoveryEndsAfterDays * dayMs;

/** Links in the mails work as long as the recovery can be completed. */
export const recoveryExpiresAt = (recovery: StoredRecovery) => Math.floor(endsAtMs(recovery) / 1000);

export function recoveryView(recovery: StoredRecovery, nowMs = Date.now()): Recovery {
  const { newOwner, notifiedAt, state } = recovery;
  const waitsUntilMs = notifiedAt === null ? null : Date.parse(notifiedAt) + recoveryWaitHours * hourMs;
  return {
    ...recovery,
    state: state === 'waiting' && nowMs >= endsAtMs(recovery) ? 'expired' : state,
    newOwner: { email: newOwner.email, isMember: newOwner.memberId !== null },
    waitsUntil: waitsUntilMs === null ? null : new Date(waitsUntilMs).toISOString(),
    expiresAt: new Date(endsAtMs(recovery)).toISOString(),
  };
}

/** What the organization's owners see. */
export function waitingRecovery({ recovery }: OrganizationRecord): Recovery | undefined {
  const view = recovery && recoveryView(recovery);
  return view?.state === 'waiting' ? view : undefined;
}

export const recoveryNotFound = () => new ApiError('recovery_not_found', 'This organization has no such recovery.');

export const recoveryClosed = () =>
  new ApiError('recovery_closed', 'This recovery is no longer waiting: it was completed or stopped, or has expired.');

/** The write of a step. The transaction throws `ConditionFailed` if the recovery is no longer waiting. */
export function stepOf(
  { id, slug }: OrganizationRecord,
  recovery: StoredRecovery,
  changes: Changes<OrganizationRecord>,
): Write {
  const isWaiting = { 'recovery.id': equals(recovery.id), 'recovery.state': equals('waiting') } as const;
  return update(at(organizationRecord, slug), changes, { if: { ...isActive(id), ...isWaiting } });
}

/** What the audit log of the organization says about each step. */
export function factsOf(
  { id, name }: OrganizationRecord,
  recovery: StoredRecovery,
  step: 'started' | 'approved' | 'completed' | 'stopped',
  details: AuditFacts['details'] = {},
): AuditFacts {
  return {
    action: `organization.recovery_${step}`,
    target: { type: 'organization', id, name },
    details: { newOwner: recovery.newOwner.email, recoveryId: recovery.id, ...details },
  };
}

export function queueNotice(
  { id: organizationId, slug: orgSlug }: OrganizationRecord,
  { id: recoveryId }: StoredRecovery,
  notice: StoredRecovery['state'],
): Promise<void> {
  return queueJob({ type: 'mail-recovery', orgSlug, organizationId, recoveryId, notice }, 1);
}

interface Stopping {
  audit: (organization: OrganizationRecord, facts: AuditFacts) => Promise<Write>;
  details: NonNullable<AuditFacts['details']>;
  /** Undefined: the one that is waiting. */
  recoveryId?: string;
}

/**
 * Stops the recovery and notifies everybody. Does nothing if it was stopped before.
 * @throws recovery_not_found; recovery_closed if it has been completed
 */
export function stop(organization: OrganizationRecord, stopping: Stopping): Promise<StoredRecovery> {
  const foreseen: OrganizationRecord | undefined = organization;
  const readAgain = () => find(at(organizationRecord, organization.slug));
  return retryWithFreshRead(foreseen, readAgain, async current => {
    const recovery = current?.id === organization.id ? current.recovery : undefined;
    const { recoveryId } = stopping;
    if (current === undefined || recovery === undefined) throw recoveryNotFound();
    if (recoveryId === undefined ? recovery.state !== 'waiting' : recovery.id !== recoveryId) throw recoveryNotFound();
    if (recovery.state === 'stopped') return recovery;
    if (recovery.state === 'completed') throw recoveryClosed();
    const ended = { state: 'stopped', endedAt: new Date().toISOString() } as const;
    await queueNotice(current, recovery, 'stopped');
    await transact([
      stepOf(current, recovery, { set: { 'recovery.state': ended.state, 'recovery.endedAt': ended.endedAt } }),
      await stopping.audit(current, factsOf(current, recovery, 'stopped', stopping.details)),
    ]);
    return { ...recovery, ...ended };
  });
}

/** Without the organization's requirements: an owner whose provider fails can stop it too. @throws recovery_not_found */
export async function stopAsOwner(context: MemberContext): Promise<void> {
  await stop(context.organization, { audit: (_, facts) => context.audit(facts), details: { via: 'owner' } });
}

/** @throws invalid_token; recovery_closed if it has been completed, or replaced by another one */
export async function stopWithLink({ source }: RequestContext, token: string): Promise<void> {
  // The token has the organization's id where other links have a user's.
  const { userId: organizationId, hash } = readCredential(token) ?? {};
  if (organizationId === undefined || hash === undefined) throw invalidLink();
  const pointer = await find(at(organizationPointerRecord, organizationId));
  if (pointer === undefined) throw invalidLink();
  const { organization, link } = await readTogether({
    organization: at(organizationRecord, pointer.orgSlug),
    link: at(recoveryLinkRecord, pointer.orgSlug, hash),
  });
  if (organization?.id !== organizationId || organization.status !== 'active') throw invalidLink();
  if (link === undefined || isOver(link.expiresAt)) throw invalidLink();
  if (organization.recovery?.id !== link.recoveryId) throw recoveryClosed();
  await stop(organization, {
    audit: (current, facts) => auditWrite(current, systemActor, source, facts),
    details: { via: 'link', mailedTo: link.email },
    recoveryId: link.recoveryId,
  });
}

const invalidLink = () => new ApiError('invalid_token', 'This link is not valid: it is unknown or expired.');
