import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import * as z from 'zod';
import { chunksOf } from '../core/chunks-of.ts';
import type { Log } from '../core/logger.ts';
import { daySeconds, expiryAfter, hourMs } from '../core/time.ts';
import { isServingRegion } from '../table/client.ts';
import { isNew } from '../table/expressions.ts';
import { at } from '../table/read.ts';
import { countedBatchRecord, routeHourRecord } from '../table/records/platform.ts';
import { maximumWritesPerTransaction, put, transactIfHolds, upsert, type Write } from '../table/write.ts';
import { readAccessLogLine } from './access-log-record.ts';
import { type Tally, tallyRequests } from './count-requests.ts';

/** A day more than the longest summary (168 hours) needs. */
const keptSeconds = 8 * daySeconds;
/** Longer than CloudWatch Logs (24 h) and Lambda (6 h) may redeliver a batch. */
const rememberedSeconds = 2 * daySeconds;

/** https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/SubscriptionFilters.html */
const LogsMessage = z.object({
  messageType: z.string(),
  logEvents: z.array(z.object({ id: z.string(), message: z.string() })),
});

/**
 * Counts the requests of a batch of access log lines. The log may deliver a batch more than once, so each transaction
 * also records what it counted; if one of several fails, the next delivery completes the batch.
 */
export async function rollUp(data: string, log: Log): Promise<void> {
  const text = (await promisify(gunzip)(Buffer.from(data, 'base64'))).toString('utf8');
  const { messageType, logEvents } = LogsMessage.parse(JSON.parse(text));
  // CloudWatch also sends control messages.
  if (messageType !== 'DATA_MESSAGE') return;
  // The other region counts its own requests in the same items.
  if (!(await isServingRegion())) return;
  const lines = logEvents.map(({ message }) => readAccessLogLine(message));
  const requests = lines.filter(line => line !== undefined);
  if (requests.length < lines.length) {
    log.warn('some access log lines have an unknown format', { lines: lines.length - requests.length });
  }
  const ids = logEvents.map(({ id }) => id).join(' ');
  const batch = createHash('sha256').update(ids).digest('base64url');
  const chunks = chunksOf(maximumWritesPerTransaction - 1, tallyRequests(requests));
  await Promise.all(chunks.map((tallies, index) => countOnce(`${batch}.${index}`, tallies)));
}

async function countOnce(batch: string, tallies: readonly Tally[]): Promise<void> {
  const expiresAt = expiryAfter(rememberedSeconds);
  await transactIfHolds([...tallies.map(countWrite), put(at(countedBatchRecord, batch), { expiresAt }, { if: isNew })]);
}

function countWrite({ route, hour, counts }: Tally): Write {
  return upsert(at(routeHourRecord, hour.slice(0, 10), hour.slice(11, 13), route), {
    set: { route, hour, expiresAt: expiryAfter(keptSeconds, Date.parse(hour) + hourMs) },
    add: counts,
  });
}
