import type { SQSRecord } from 'aws-lambda';
import { copyEmail } from '../accounts/copy-email.ts';
import { eraseAccount } from '../accounts/erase-account.ts';
import { newResetLink } from '../accounts/mailed-link.ts';
import { type EraseAccount, Job, type LastingJob, maximumJobReceives } from '../core/job.ts';
import { type Log, openLog } from '../core/logger.ts';
import { queueJob } from '../core/queue.ts';
import { passwordResetMail } from '../mail/account-mails.ts';
import { sendMail } from '../mail/send-mail.ts';
import { giveUpRotation, reEncryptProject } from '../projects/re-encrypt-project.ts';
import { isServingRegion } from '../table/client.ts';
import { at, find } from '../table/read.ts';
import { userRecord } from '../table/records/user.ts';
import { putAlone } from '../table/write.ts';
import { eraseOrganization } from './erase-organization.ts';
import { eraseEnvironment, eraseProject } from './erase-project.ts';
import { NotYetCommitted } from './erase-range.ts';
import { mailBypass, mailProposal } from './mail-proposal.ts';
import { mailRecovery } from './mail-recovery.ts';
import { noteJobOf } from './queue-unfinished-work.ts';

/**
 * A job is queued before its change commits. One that is not visible after this time probably failed; if it commits
 * later, `queue-unfinished-work.ts` queues its job again.
 */
const patienceMs = 60_000;

/** Runs one step of background work. @returns false if the queue should redeliver it; the log has the reason */
export async function runJob({ body, messageId, attributes }: SQSRecord): Promise<boolean> {
  const log = openLog({ operation: 'run-jobs', messageId });
  const job = parseJob(body, log);
  if (job === undefined) return false;
  if (!(await isServingRegion())) {
    log.warn('left a job in the queue, because the other region serves');
    return false;
  }
  try {
    if (isLasting(job)) await noteJobOf(job);
    await runStep(job, log);
    return true;
  } catch (error) {
    if (error instanceof NotYetCommitted) return Date.now() - Number(attributes.SentTimestamp) > patienceMs;
    log.error('a step of background work failed', error);
    const isLast = Number(attributes.ApproximateReceiveCount) >= maximumJobReceives;
    if (isLast && job.type === 're-encrypt-project') await giveUpRotation(job, log);
    return false;
  }
}

function isLasting(job: Job): job is LastingJob {
  return !job.type.startsWith('mail-');
}

function parseJob(body: string, log: Log): Job | undefined {
  try {
    return Job.parse(JSON.parse(body));
  } catch (error) {
    log.error('a message is not a valid job', error);
    return undefined;
  }
}

async function runStep(job: Job, log: Log): Promise<void> {
  if (job.type === 'erase-organization') await eraseOrganization(job, log);
  else if (job.type === 'erase-project') await eraseProject(job, log);
  else if (job.type === 'erase-environment') await eraseEnvironment(job, log);
  else if (job.type === 're-encrypt-project') await reEncryptProject(job, log);
  else if (job.type === 'mail-recovery') await mailRecovery(job, log);
  else if (job.type === 'copy-email') await copyEmail(job, log);
  else if (job.type === 'erase-account') await eraseAccountInSteps(job, log);
  else if (job.type === 'mail-proposal') await mailProposal(job, log);
  else if (job.type === 'mail-bypass') await mailBypass(job, log);
  else await mailResetLink(job);
}

async function eraseAccountInSteps(job: EraseAccount, log: Log): Promise<void> {
  const step = await eraseAccount(job, log);
  if (step !== undefined) await queueJob(step.next, step.delaySeconds);
}

/** Mails a link to reset the password, if the account exists. The token is created here, so no queue ever holds it. */
export async function mailResetLink({ userId }: { userId: string }): Promise<void> {
  const user = await find(at(userRecord, userId));
  if (user === undefined) return;
  const link = await newResetLink(user);
  await putAlone(link.write);
  await sendMail(user.email, passwordResetMail(user.name, link.url));
}
