import { emailOfCustomer } from '../billing/payment-provider.ts';
import { normalizeEmail } from '../contracts/fields/text.ts';
import { chunksOf } from '../core/chunks-of.ts';
import type { Job } from '../core/job.ts';
import type { Log } from '../core/logger.ts';
import { queueJob } from '../core/queue.ts';
import { createCredential } from '../crypto/credentials.ts';
import { dashboardLink } from '../mail/compose-mail.ts';
import { recoveryMail } from '../mail/recovery-mails.ts';
import { sendMail } from '../mail/send-mail.ts';
import { recoveryExpiresAt, type StoredRecovery } from '../organizations/recovery.ts';
import { equals, isActive } from '../table/expressions.ts';
import { ranges } from '../table/keys.ts';
import { at, find, list } from '../table/read.ts';
import {
  memberRecord,
  type OrganizationRecord,
  organizationRecord,
  recoveryLinkRecord,
} from '../table/records/organization.ts';
import { put, putAlone, transactIfHolds, update } from '../table/write.ts';
import { NotYetCommitted } from './erase-range.ts';

type MailRecovery = Extract<Job, { type: 'mail-recovery' }>;

const mailsPerStep = 25;
const mailsAtOnce = 5;

/**
 * One step of mailing everybody in an organization about its recovery: its members in the order of their user ids, and
 * last the future owner and the billing address. Only when all mails about its start have been sent does the waiting
 * time begin. A step that fails is repeated, so some people may get the mail twice.
 * @throws NotYetCommitted while the recovery is not in the state that the mails are about
 */
export async function mailRecovery(job: MailRecovery, log: Log): Promise<void> {
  const organization = await find(at(organizationRecord, job.orgSlug));
  if (organization?.id !== job.organizationId || organization.status !== 'active') return;
  const { recovery } = organization;
  const isCommitted = recovery?.id === job.recoveryId && (job.notice === 'waiting' || recovery.state === job.notice);
  if (!isCommitted) throw new NotYetCommitted(`The recovery ${job.recoveryId} is not ${job.notice}.`);
  // It was stopped while people were being told that it started.
  if (recovery.state !== job.notice) return;
  const members = await list(memberRecord, ranges.members(job.orgSlug));
  const remaining = members.filter(({ userId }) => userId > (job.after ?? ''));
  const next = remaining.slice(0, mailsPerStep);
  const isLast = next.length === remaining.length;
  const addresses = next.map(({ email }) => email);
  if (isLast) addresses.push(recovery.newOwner.email, ...(await emailOfCustomer(organization, log)));
  const distinct = new Map(addresses.map(email => [normalizeEmail(email), email]));
  for (const chunk of chunksOf(mailsAtOnce, [...distinct.values()])) {
    await Promise.all(chunk.map(email => mail(organization, recovery, email, log)));
  }
  if (!isLast) await queueJob({ ...job, after: next.at(-1)?.userId });
  else if (job.notice === 'waiting') await startWaiting(organization, recovery);
}

async function mail(
  organization: OrganizationRecord,
  recovery: StoredRecovery,
  email: string,
  log: Log,
): Promise<void> {
  const { id: recoveryId, state } = recovery;
  const stopUrl = state === 'waiting' ? await newStopLink(organization, recovery, email) : undefined;
  try {
    await sendMail(email, await recoveryMail(organization, recovery, stopUrl));
  } catch (error) {
    // No repetition helps with a malformed address, and one must not prevent the recovery for ever.
    if (!(error instanceof Error) || error.name !== 'BadRequestException') throw error;
    log.error('could not send an e-mail about a recovery', error, { organizationId: organization.id, recoveryId });
  }
}

/** The token is created here, so no queue ever holds it. */
async function newStopLink({ id, slug }: OrganizationRecord, recovery: StoredRecovery, email: string): Promise<string> {
  const { secret, hash } = createCredential(id);
  const link = { recoveryId: recovery.id, email, expiresAt: recoveryExpiresAt(recovery) };
  await putAlone(put(at(recoveryLinkRecord, slug, hash), link));
  return dashboardLink('stop-recovery', secret);
}

/** A repeated step doesn't start it again. */
async function startWaiting(organization: OrganizationRecord, { id }: StoredRecovery): Promise<void> {
  const isNext = { 'recovery.id': equals(id), 'recovery.notifiedAt': equals(null) };
  const changes = { set: { 'recovery.notifiedAt': new Date().toISOString() } };
  const options = { if: { ...isActive(organization.id), ...isNext } };
  await transactIfHolds([update(at(organizationRecord, organization.slug), changes, options)]);
}
