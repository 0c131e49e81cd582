import type { Plan } from '../contracts/fields/limits.ts';
import { type PlanName, planNames } from '../contracts/fields/limits.ts';
import type { PlanConfigs } from '../table/records/plan-configs.ts';
import { effectiveLimits, readPlanConfigs } from './effective-limits.ts';

/** Every plan with its limits: the configured ones, else the built-in ones. */
export async function listPlans(): Promise<Plan[]> {
  return plansOf(await readPlanConfigs());
}

export function plansOf(configs: PlanConfigs): Plan[] {
  return planNames.map(name => planOf(name, configs));
}

export function planOf(name: PlanName, configs: PlanConfigs): Plan {
  return { name, limits: effectiveLimits({ plan: name, limitOverrides: {} }, configs).effective };
}
