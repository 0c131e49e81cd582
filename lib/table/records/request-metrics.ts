import * as z from 'zod';
import { ExpiresAt, entity } from '../entity.ts';
import { keys } from '../keys.ts';

/**
 * One route's requests in one hour. The latency buckets are attributes of their own (`b12`), so that each is raised by
 * an ADD without a read; only buckets that were hit exist.
 */
export const routeHourRecord = entity({
  kind: 'routeHour',
  key: keys.metrics,
  schema: z
    .object({
      route: z.string(),
      /** Beginning of the hour, ISO 8601. */
      hour: z.string(),
      requests: z.int(),
      clientErrors: z.int().default(0),
      serverErrors: z.int().default(0),
      expiresAt: ExpiresAt,
    })
    .catchall(z.int()),
});

export type RouteHour = ReturnType<typeof routeHourRecord.parse>;

/** A batch of log records that was counted: the log hands each over at least once, and it must count once. */
export const countedBatchRecord = entity({
  kind: 'countedBatch',
  key: keys.countedBatch,
  schema: z.object({ expiresAt: ExpiresAt }),
});
