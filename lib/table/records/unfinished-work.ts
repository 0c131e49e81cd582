import * as z from 'zod';
import { LastingJob } from '../../core/job.ts';
import { entity } from '../entity.ts';
import { keys } from '../keys.ts';
import { at } from '../read.ts';
import { put, remove, type Write } from '../write.ts';

/**
 * Records background work that is not finished: written in the transaction that starts the work and removed in the one
 * that ends it, so it exists exactly as long as the work does. Whatever happens to the job in the queue, the work is
 * not forgotten. There is at most one per organization, project or environment: a deletion replaces a rotation.
 *
 * All of them are in one partition, so there is next to nothing to read. DynamoDB splits it when it is busy, because
 * ids are random.
 */
export const unfinishedWorkRecord = entity({
  kind: 'unfinishedWork',
  key: keys.unfinishedWork,
  schema: z.object({
    /** How the work starts, without a cursor. */
    job: LastingJob,
    /** Epoch milliseconds. Until then, its job is expected to be in the queue. */
    dueAtMs: z.int(),
  }),
});

/** A job runs a second or two after its change, and then records that it exists. */
const firstDueAfterMs = 5 * 60_000;

/** Belongs in the transaction that starts the work. */
export function noteWork(job: LastingJob): Write {
  return put(at(unfinishedWorkRecord, subjectOf(job)), { job, dueAtMs: Date.now() + firstDueAfterMs });
}

/** Belongs in the transaction that ends the work. */
export function endWork(id: string): Write {
  return remove({ key: keys.unfinishedWork(id) });
}

/** The id of what the job works on. */
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
