import { type LimitOverrides, limitNames, type PlanLimits, PlanName, planNames } from '../contracts/fields/limits.ts';
import { ApiError } from '../core/errors.ts';
import type { Log } from '../core/logger.ts';
import { equals, isNew } from '../table/expressions.ts';
import { type PlanConfigs, planConfigsRecord } from '../table/records/plan-configs.ts';
import { at, find, put, retryOnConditionFailed, transact } from '../table/store.ts';
import { effectiveLimits, readPlanConfigs } from './effective-limits.ts';

interface Plan {
  name: PlanName;
  limits: PlanLimits;
}

/** Every plan with its limits: as configured, else built in. */
export async function listPlans(): Promise<Plan[]> {
  const configs = await readPlanConfigs();
  return planNames.map(name => planOf(name, configs));
}

function planOf(name: PlanName, configs: PlanConfigs): Plan {
  return { name, limits: effectiveLimits({ plan: name, limitOverrides: {} }, configs).effective };
}

/**
 * Sets some of a plan's limits for every organization of the plan; they hold from the next creation on. No organization's
 * audit log is the place for it, so it goes to the structured log.
 * @throws plan_not_found
 */
export async function updatePlan(log: Log, userId: string, planName: string, limits: LimitOverrides): Promise<Plan> {
  const parsed = PlanName.safeParse(planName);
  if (!parsed.success) throw new ApiError('plan_not_found', 'There is no such plan.');
  const name = parsed.data;
  const configs = await retryOnConditionFailed(async budget => {
    const before = (await find(at(planConfigsRecord)))?.plans;
    const named = limitNames.flatMap(limit => (limits[limit] === undefined ? [] : [[limit, limits[limit]] as const]));
    const plans: PlanConfigs = { ...before, [name]: { ...before?.[name], ...Object.fromEntries(named) } };
    await transact(
      [put(at(planConfigsRecord), { plans }, { if: before === undefined ? isNew : { plans: equals(before) } })],
      budget,
    );
    return plans;
  });
  log.account('plan_limits_changed', { userId, plan: name, limits });
  return planOf(name, configs);
}
