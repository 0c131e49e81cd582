import * as z from 'zod';
import { PlanLimits, PlanName } from './limits.ts';

export const Plan = z
  .object({
    name: PlanName,
    limits: PlanLimits.meta({ description: 'The plan’s limits: the configured ones, or else the built-in defaults.' }),
  })
  .meta({ id: 'Plan', description: 'A plan and its default limits.' });
export type Plan = z.infer<typeof Plan>;
