import { randomUUID } from 'node:crypto';
import { chunksOf } from '../core/chunks-of.ts';
import { type LastingJob, maximumJobReceives } from '../core/job.ts';
import type { Log } from '../core/logger.ts';
import { queueJob } from '../core/queue.ts';
import { minuteMs } from '../core/time.ts';
import { isServingRegion } from '../table/client.ts';
import { absent, atMost, equals, isThere } from '../table/expressions.ts';
import { ranges } from '../table/keys.ts';
import { queryPages } from '../table/read.ts';
import { subjectOf, type UnfinishedWork, unfinishedWorkRecord, workOf } from '../table/records/unfinished-work.ts';
import { transactIfHolds, update } from '../table/write.ts';

/** How often a deployed queue delivers an unfinished job again (its visibility timeout). */
const receiveEveryMs = 6 * minuteMs;

/** How long the queue may still hold the job of an attempted step: the time of all deliveries, plus a margin. */
const jobLastsMs = (maximumJobReceives + 2) * receiveEveryMs;

/**
 * Records that the work's job is queued. Does nothing before the work has started or after it has ended. Work that is
 * planned for later stays planned: the job is of an earlier attempt.
 */
export async function noteJobOf(job: LastingJob): Promise<void> {
  const work = workOf(job);
  const nowMs = Date.now();
  const isStarted = [{ ...isThere, plannedAtMs: absent }, { plannedAtMs: atMost(nowMs) }];
  await transactIfHolds([update(work, { set: { dueAtMs: nowMs + jobLastsMs } }, { if: isStarted })]);
}

const pageSize = 250;
const maximumPages = 8;
const jobsAtOnce = 10;

interface Options {
  nowMs?: number;
  pages?: number;
  /** By default random, so that a few runs cover more than one run can read. */
  from?: string;
}

/**
 * Queues the jobs of planned work that is due, and again those of unfinished work that gave up before a stalled request
 * committed, were moved to the dead-letter queue, or were lost with a queue. Steps can run twice, so a job that still
 * exists does no harm.
 * @returns how many jobs were queued
 */
export async function queueUnfinishedWork(
  log: Log,
  { nowMs = Date.now(), pages = maximumPages, from = randomUUID() }: Options = {},
): Promise<number> {
  if (!(await isServingRegion())) return 0;
  let queued = 0;
  let read = 0;
  // From a random id to the end, which includes the work of accounts, then from the beginning to that id.
  for (const range of [ranges.unfinishedWork(from, 'v'), ranges.unfinishedWork('0', from)]) {
    for await (const items of queryPages({ ...range, pageSize, eventuallyConsistent: true })) {
      const due = items.map(item => unfinishedWorkRecord.parse(item)).filter(({ dueAtMs }) => dueAtMs <= nowMs);
      for (const chunk of chunksOf(jobsAtOnce, due)) {
        await Promise.all(chunk.map(work => queueAgain(work, nowMs, log)));
      }
      queued += due.length;
      read += 1;
      if (read === pages) return queued;
    }
  }
  return queued;
}

/** The job is queued first: if this process dies between the two calls, the next run queues it again. */
async function queueAgain({ job, dueAtMs, plannedAtMs }: UnfinishedWork, nowMs: number, log: Log) {
  const id = subjectOf(job);
  await queueJob(job);
  const work = workOf(job);
  const isSame = { dueAtMs: equals(dueAtMs) };
  await transactIfHolds([update(work, { set: { dueAtMs: nowMs + jobLastsMs } }, { if: isSame })]);
  const organizationId = 'organizationId' in job ? job.organizationId : undefined;
  if (dueAtMs === plannedAtMs) {
    log.info('queued planned work', { job: job.type, organizationId, id });
    return;
  }
  const overdueSeconds = Math.round((nowMs - dueAtMs) / 1000);
  if (job.type === 'erase-account') {
    // Normally queued here, for the first time.
    log.info('queued the erasure of an account', { userId: id });
    return;
  }
  log.warn('queued unfinished work again', { job: job.type, organizationId, id, overdueSeconds, alarm: 'requeued' });
}
