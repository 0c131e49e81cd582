import * as z from 'zod';
import { entity } from '../entity.ts';
import { keys } from '../keys.ts';

/** The limits of each plan that differ from the built-in ones, all in one item. */
export const planConfigsRecord = entity('planConfigs', keys.planConfigs, {
  plans: z.record(z.string(), z.record(z.string(), z.int())),
  /**
   * Plans whose audit entries are kept longer since `untilMs` (epoch milliseconds): the fewest days of before. Entries
   * written until then expire as they would have.
   */
  raised: z.record(z.string(), z.object({ days: z.int(), untilMs: z.int() })).optional(),
});

export type PlanConfigsRecord = ReturnType<typeof planConfigsRecord.parse>;
export type PlanConfigs = PlanConfigsRecord['plans'];
