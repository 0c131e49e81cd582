import * as z from 'zod';
import { LastingJob } from '../../core/job.ts';
import { minuteMs } from '../../core/time.ts';
import { entity } from '../entity.ts';
import { absent, isThere } from '../expressions.ts';
import { keys } from '../keys.ts';
import { at } from '../read.ts';
import { put, remove, type Write } from '../write.ts';

/**
 * Background work that is not finished: written in the transaction that starts the work and removed in the one that
 * ends it, so that it is not forgotten even if the queue loses its job. At most one per organization, project or
 * environment: a deletion replaces a rotation. All are in one partition, so one small read finds them; random ids let
 * DynamoDB split it.
 */
export const unfinishedWorkRecord = entity('unfinishedWork', keys.unfinishedWork, {
  /** The job that starts the work, without a cursor. */
  job: LastingJob,
  /** Epoch milliseconds. Until then, its job is expected to be in the queue. */
  dueAtMs: z.int(),
  /** When its job is queued for the first time, if the work starts later than it was noted. Absent: it has started. */
  plannedAtMs: z.int().optional(),
});

/** By then the job has normally started and recorded that it is queued. */
const firstDueAfterMs = 5 * minuteMs;

export function noteWork(job: LastingJob): Write {
  return put(at(unfinishedWorkRecord, subjectOf(job)), { job, dueAtMs: Date.now() + firstDueAfterMs });
}

/**
 * Work that starts after the given time. Its job is queued some minutes later: then a restore that began in time has
 * ended, also for code of an earlier release, which doesn't know what can be restored.
 */
export function planWork(job: LastingJob, startsAt: string, options: PlanOptions = {}): Write {
  const plannedAtMs = Date.parse(startsAt) + firstDueAfterMs;
  const condition = options.ifStarted === true ? { if: { ...isThere, plannedAtMs: absent } } : {};
  return put(at(unfinishedWorkRecord, subjectOf(job)), { job, dueAtMs: plannedAtMs, plannedAtMs }, condition);
}

interface PlanOptions {
  /** Only if the work is noted as started. */
  ifStarted?: true;
}

export function endWork(id: string): Write {
  return remove({ key: keys.unfinishedWork(id) });
}

export function subjectOf(job: LastingJob): string {
  switch (job.type) {
    case 'erase-organization':
      return job.organizationId;
    case 'erase-environment':
      return job.environmentId;
    default:
      return job.projectId;
  }
}
