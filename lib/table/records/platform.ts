import { randomInt } from 'node:crypto';
import * as z from 'zod';
import { daySeconds } from '../../core/time.ts';
import { ExpiresAt, entity } from '../entity.ts';
import { keys } from '../keys.ts';
import { at } from '../read.ts';
import { upsert, type Write } from '../write.ts';

/** The limits of each plan that differ from the built-in ones, all in one item. */
export const planConfigsRecord = entity('planConfigs', keys.planConfigs, {
  plans: z.record(z.string(), z.record(z.string(), z.int())),
  /**
   * Plans whose entries are kept longer since `untilMs` (epoch milliseconds), and the fewest days of before. Entries
   * written until then expire as they would have.
   */
  raised: z.record(z.string(), z.object({ days: z.int(), untilMs: z.int() })).optional(),
});
export type PlanConfigsRecord = ReturnType<typeof planConfigsRecord.parse>;
export type PlanConfigs = PlanConfigsRecord['plans'];

/** The counts are spread over this many items, so that concurrent changes rarely conflict. */
const platformCountShards = 16;

export const platformCountRecord = entity('platformCount', keys.platformCount, {
  users: z.int().default(0),
  organizations: z.int().default(0),
  projects: z.int().default(0),
});

export function countPlatform(changes: { users?: number; organizations?: number; projects?: number }): Write {
  return upsert(at(platformCountRecord, randomInt(platformCountShards)), { add: changes });
}

const requestCounts = z.object({
  route: z.string(),
  hour: z.string(),
  requests: z.int(),
  clientErrors: z.int(),
  serverErrors: z.int(),
  expiresAt: ExpiresAt,
});

/** Declared explicitly because the type that `catchall` infers would make every attribute a bucket. */
export type RouteHour = z.output<typeof requestCounts> & { [Bucket in `b${number}`]?: number };

/** One route's requests in an hour. A latency bucket is an attribute (`b12`) that an ADD raises, absent if empty. */
export const routeHourRecord = entity(
  'routeHour',
  keys.metrics,
  requestCounts.catchall(z.int()) as unknown as z.ZodType<RouteHour>,
);

/** A counted batch of log records. The log delivers each batch at least once, but it must be counted only once. */
export const countedBatchRecord = entity('countedBatch', keys.countedBatch, { expiresAt: ExpiresAt });

/** From the payment provider's customer to the organization. Created with one, erased with the other. */
export const customerRecord = entity('customer', keys.customer, { organizationId: z.string(), orgSlug: z.string() });

/** A processed event of the payment provider. Kept longer than the provider retries (3 days, Stripe docs). */
export const paymentEventRecord = entity('providerEvent', keys.paymentEvent, {
  type: z.string(),
  organizationId: z.string(),
  receivedAt: z.string(),
  expiresAt: ExpiresAt,
});

export const paymentEventKeptSeconds = 30 * daySeconds;
