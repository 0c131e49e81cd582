import * as z from 'zod';
import { LastingJob } from '../../core/job.ts';
import { minuteMs } from '../../core/time.ts';
import { entity } from '../entity.ts';
import { absent, isThere } from '../expressions.ts';
import { keys, rareKeys } from '../keys.ts';
import type { Read } from '../read.ts';
import { put, remove, type Write } from '../write.ts';

/**
 * Background work that is not finished: written in the transaction that starts the work and removed in the one that
 * ends it, so that it is not forgotten even if the queue loses its job. At most one per organization, project,
 * environment or account: a deletion replaces a rotation. All are in one partition, so one small read finds them;
 * random ids let DynamoDB split it.
 */
export const unfinishedWorkRecord = entity('unfinishedWork', keys.unfinishedWork, {
  /** The job that starts the work, without a cursor. */
  job: LastingJob,
  /** Epoch milliseconds. Until then, its job is expected to be in the queue. */
  dueAtMs: z.int(),
  /** When its job is queued for the first time, if the work starts later than it was noted. Absent: it has started. */
  plannedAtMs: z.int().optional(),
});
export type UnfinishedWork = ReturnType<typeof unfinishedWorkRecord.parse>;

/** By then the job has normally started and recorded that it is queued. */
const firstDueAfterMs = 5 * minuteMs;

/** @param dueAfterMs 0 for work that nobody queues but the schedule */
export function noteWork(job: LastingJob, dueAfterMs = firstDueAfterMs): Write {
  return put(workOf(job), { job, dueAtMs: Date.now() + dueAfterMs });
}

/**
 * Work that starts after the given time. Its job is queued some minutes later: then a restore that began in time has
 * ended, also for code of an earlier release, which doesn't know what can be restored.
 */
export function planWork(job: LastingJob, startsAt: string, options: PlanOptions = {}): Write {
  const plannedAtMs = Date.parse(startsAt) + firstDueAfterMs;
  const condition = options.ifStarted === true ? { if: { ...isThere, plannedAtMs: absent } } : {};
  return put(workOf(job), { job, dueAtMs: plannedAtMs, plannedAtMs }, condition);
}

interface PlanOptions {
  /** Only if the work is noted as started. */
  ifStarted?: true;
}

export function endWork(id: string): Write {
  return remove({ key: keys.unfinishedWork(id) });
}

/** The work of an account: closing it replaces the copying of its address. */
export function endAccountWork(userId: string): Write {
  return remove({ key: rareKeys.unfinishedWorkOfAccount(userId) });
}

export function workOf(job: LastingJob): Read<UnfinishedWork> {
  const id = subjectOf(job);
  const key = 'userId' in job ? rareKeys.unfinishedWorkOfAccount(id) : keys.unfinishedWork(id);
  return { entity: unfinishedWorkRecord, key };
}

export function subjectOf(job: LastingJob): string {
  switch (job.type) {
    case 'copy-email':
    case 'erase-account':
      return job.userId;
    case 'erase-organization':
      return job.organizationId;
    case 'erase-environment':
      return job.environmentId;
    default:
      return job.projectId;
  }
}
