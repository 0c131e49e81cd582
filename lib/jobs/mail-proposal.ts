import { managesProject, memberMay } from '../contracts/fields/member-rights.ts';
import { hasFreshRights } from '../contracts/fields/role.ts';
import { chunksOf } from '../core/chunks-of.ts';
import { ApiError } from '../core/errors.ts';
import type { Job } from '../core/job.ts';
import type { Log } from '../core/logger.ts';
import { queueJob } from '../core/queue.ts';
import { count } from '../limits/count.ts';
import { proposalMails } from '../limits/rate-limits.ts';
import type { Mail } from '../mail/compose-mail.ts';
import { bypassMail, proposalMail } from '../mail/proposal-mails.ts';
import { sendMail } from '../mail/send-mail.ts';
import { stateAt } from '../secrets/engine/fencing.ts';
import { hasProposed } from '../secrets/proposals/people.ts';
import { isOpen, keysOf, proposalAt } from '../secrets/proposals/stored-proposal.ts';
import { ranges } from '../table/keys.ts';
import { at, find, list } from '../table/read.ts';
import { auditRecord } from '../table/records/audit.ts';
import { type MemberRecord, memberRecord, organizationRecord } from '../table/records/organization.ts';
import { NotYetCommitted } from './erase-range.ts';

type MailProposal = Extract<Job, { type: 'mail-proposal' }>;
type MailBypass = Extract<Job, { type: 'mail-bypass' }>;

const mailsPerStep = 25;
const mailsAtOnce = 5;

/**
 * One step of mailing those who may approve a proposal, each at most once an hour.
 * @throws NotYetCommitted while there is no such proposal
 */
export async function mailProposal(job: MailProposal, log: Log): Promise<void> {
  const { orgSlug, project, env, proposalId } = job;
  const path = { orgSlug, project, env };
  const [organization, state, proposal] = await Promise.all([
    find(at(organizationRecord, orgSlug)),
    find(stateAt(path)),
    find(proposalAt(path, proposalId)),
  ]);
  if (organization?.id !== job.organizationId || state?.projectId !== job.projectId) return;
  if (proposal === undefined) throw new NotYetCommitted(`There is no proposal ${proposalId}.`);
  if (!isOpen(proposal) || organization.status !== 'active' || state.status !== 'active') return;
  const facts = { id: proposalId, author: proposal.author.email, keyCount: keysOf(proposal).length };
  const mail = await proposalMail({ organization, project, env }, { ...facts, message: proposal.message });
  const mayApprove = (member: MemberRecord) =>
    !hasProposed(proposal, member.userId) && memberMay('write', member, state);
  await mailMembers(job, mayApprove, async member => {
    if (await isBelowLimit(organization.id, member)) await send(member, mail, log);
  });
}

/** Counts before the mail is sent, because a person gets at most one an hour. */
async function isBelowLimit(organizationId: string, { userId }: MemberRecord): Promise<boolean> {
  try {
    await count(proposalMails(organizationId, userId));
    return true;
  } catch (error) {
    if (error instanceof ApiError && error.code === 'rate_limited') return false;
    throw error;
  }
}

/**
 * One step of mailing owners and admins, and the project's admins, about a change without the required approvals. A step that fails is repeated, so
 * some people may get the mail twice.
 * @throws NotYetCommitted while the change has not been made
 */
export async function mailBypass(job: MailBypass, log: Log): Promise<void> {
  const [organization, entry] = await Promise.all([
    find(at(organizationRecord, job.orgSlug)),
    find({ entity: auditRecord, key: job.entry }),
  ]);
  if (organization?.id !== job.organizationId || organization.status !== 'active') return;
  if (entry === undefined) throw new NotYetCommitted('The change without approval has not been made.');
  const { actor, target, environment, details, keys = [], keysOmitted = 0 } = entry;
  const place = { organization, project: target.name, env: environment?.slug ?? '' };
  const facts = {
    who: actor.email ?? '',
    reason: typeof details?.reason === 'string' ? details.reason : '',
    keyCount: keys.length + keysOmitted,
  };
  const mail = await bypassMail(place, facts);
  const manages = (member: MemberRecord) => hasFreshRights(member.role) || managesProject(member, target.id);
  await mailMembers(job, manages, member => send(member, mail, log));
}

/** Mails the next members in the order of their user ids, and queues the rest. */
async function mailMembers(
  job: MailProposal | MailBypass,
  concerns: (member: MemberRecord) => boolean,
  mail: (member: MemberRecord) => Promise<void>,
): Promise<void> {
  const members = await list(memberRecord, ranges.members(job.orgSlug));
  const remaining = members.filter(member => member.userId > (job.after ?? '') && concerns(member));
  const next = remaining.slice(0, mailsPerStep);
  for (const chunk of chunksOf(mailsAtOnce, next)) await Promise.all(chunk.map(mail));
  if (next.length < remaining.length) await queueJob({ ...job, after: next.at(-1)?.userId });
}

async function send({ email }: MemberRecord, mail: Mail, log: Log): Promise<void> {
  try {
    await sendMail(email, mail);
  } catch (error) {
    // No repetition helps with a malformed address.
    if (!(error instanceof Error) || error.name !== 'BadRequestException') throw error;
    log.error('could not send an e-mail about a change', error);
  }
}
