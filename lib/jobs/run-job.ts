import type { SQSRecord } from 'aws-lambda';
import { Job } from '../core/job.ts';
import { openLog } from '../core/logger.ts';
import { reEncryptProject } from '../projects/re-encrypt-project.ts';
import { eraseOrganization } from './erase-organization.ts';
import { eraseEnvironment, eraseProject } from './erase-project.ts';
import { NotYetCommitted } from './erase-range.ts';
import { mailResetLink } from './mail-reset-link.ts';

/** A job is queued before the change that it follows. A change that is not there after this time was never made. */
const patienceMs = 60_000;

/**
 * Runs one step of background work.
 * @returns false when the queue is to hand the message over again; the reason is in the log
 */
export async function runJob({ body, messageId, attributes }: SQSRecord): Promise<boolean> {
  const log = openLog({ operation: 'run-jobs', messageId });
  try {
    const job = Job.parse(JSON.parse(body));
    if (job.type === 'erase-organization') await eraseOrganization(job, log);
    else if (job.type === 'erase-project') await eraseProject(job, log);
    else if (job.type === 'erase-environment') await eraseEnvironment(job, log);
    else if (job.type === 're-encrypt-project') await reEncryptProject(job, log);
    else await mailResetLink(job);
    return true;
  } catch (error) {
    if (error instanceof NotYetCommitted) return Date.now() - Number(attributes.SentTimestamp) > patienceMs;
    log.error('a step of background work failed', error);
    return false;
  }
}
