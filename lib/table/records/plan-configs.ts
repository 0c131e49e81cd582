import * as z from 'zod';
import { entity } from '../entity.ts';
import { keys } from '../keys.ts';

/** The limits of each plan that differ from the built-in ones, all in one item. */
export const planConfigsRecord = entity({
  kind: 'planConfigs',
  key: keys.planConfigs,
  schema: z.object({ plans: z.record(z.string(), z.record(z.string(), z.int())) }),
});

export type PlanConfigs = ReturnType<typeof planConfigsRecord.parse>['plans'];
