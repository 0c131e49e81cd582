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

/** Written out, because the type that `catchall` infers makes every attribute a bucket as well. */
export type RouteHour = z.output<typeof requestCounts> & { [Bucket in `b${number}`]?: number };

/**
 * One route's requests in one hour. The latency buckets are attributes of their own (`b12`), so that each is raised by
 * an ADD without a read; only buckets that were hit exist.
 */
export const routeHourRecord = entity({
  kind: 'routeHour',
  key: keys.metrics,
  schema: requestCounts.catchall(z.int()) as unknown as z.ZodType<RouteHour>,
});

/** A batch of log records that was counted. The log delivers each at least once, and it must count once. */
export const countedBatchRecord = entity({
  kind: 'countedBatch',
  key: keys.countedBatch,
  schema: z.object({ expiresAt: ExpiresAt }),
});
