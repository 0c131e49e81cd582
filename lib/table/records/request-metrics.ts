import * as z from 'zod';
import { ExpiresAt, entity } from '../entity.ts';
import { keys } from '../keys.ts';

const requestCounts = z.object({
  route: z.string(),
  /** Beginning of the hour, ISO 8601. */
  hour: z.string(),
  requests: z.int(),
  clientErrors: z.int(),
  serverErrors: z.int(),
  expiresAt: ExpiresAt,
});

/** Declared explicitly because the type that `catchall` infers would make every attribute a bucket. */
export type RouteHour = z.output<typeof requestCounts> & { [Bucket in `b${number}`]?: number };

/**
 * One route's requests in one hour. Each latency bucket is an attribute (`b12`), so an ADD can raise it without a read.
 * Empty buckets don't exist.
 */
export const routeHourRecord = entity(
  'routeHour',
  keys.metrics,
  requestCounts.catchall(z.int()) as unknown as z.ZodType<RouteHour>,
);

/** A counted batch of log records. The log delivers each batch at least once, but it must be counted only once. */
export const countedBatchRecord = entity('countedBatch', keys.countedBatch, { expiresAt: ExpiresAt });
