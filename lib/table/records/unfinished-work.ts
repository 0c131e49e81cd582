import * as z from 'zod';
import { LastingJob } from '../../core/job.ts';
import { minuteMs } from '../../core/time.ts';
import { entity } from '../entity.ts';
import { keys } from '../keys.ts';
import { at } from '../read.ts';
import { put, remove, type Write } from '../write.ts';

/**
 * Records background work that is not finished: written in the transaction that starts the work and removed in the one
 * that ends it, so it exists exactly as long as the work does. So the work is not forgotten even if the queue loses its
 * job. There is at most one per organization, project or environment: a deletion replaces a rotation.
 *
 * All of these items share one partition, so finding them takes one small read. The ids are random, so DynamoDB can
 * split the partition under load.
 */
export const unfinishedWorkRecord = entity('unfinishedWork', keys.unfinishedWork, {
  /** The job that starts the work, without a cursor. */
  job: LastingJob,
  /** Epoch milliseconds. Until then, its job is expected to be in the queue. */
  dueAtMs: z.int(),
});

/**
 * By then the job has normally run: it starts a second or two after its change, and first records that it is queued.
 */
const firstDueAfterMs = 5 * minuteMs;

/** Belongs in the transaction that starts the work. */
export function noteWork(job: LastingJob): Write {
  return put(at(unfinishedWorkRecord, subjectOf(job)), { job, dueAtMs: Date.now() + firstDueAfterMs });
}

/** Belongs in the transaction that ends the work. */
export function endWork(id: string): Write {
  return remove({ key: keys.unfinishedWork(id) });
}

/** The id of the resource that the job works on. */
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
