import * as z from 'zod';
import { entity } from '../entity.ts';
import { keys } from '../keys.ts';

/** The limits of each plan that differ from the built-in ones, all in one item. */
export const planConfigsRecord = entity({
  kind: 'planConfigs',
  key: keys.planConfigs,
  schema: z.object({
    plans: z.record(z.string(), z.record(z.string(), z.int())),
    /**
     * Plans that keep audit entries longer since `untilMs` (epoch milliseconds), with the shortest earlier retention.
     * Entries written until then may expire according to it.
     */
    raised: z.record(z.string(), z.object({ days: z.int(), untilMs: z.int() })).optional(),
  }),
});

export type PlanConfigsRecord = ReturnType<typeof planConfigsRecord.parse>;
export type PlanConfigs = PlanConfigsRecord['plans'];
