import { ApiError } from '../http/errors.ts';
import type { Log } from '../http/logger.ts';
import type { Principal } from '../http/principal.ts';
import { equals, isNew } from '../table/expressions.ts';
import { at, find, put, retryOnConditionFailed, transact } from '../table/store.ts';
import { effectiveLimits, readPlanConfigs } from './effective-limits.ts';
import { type LimitOverrides, limitNames, type PlanLimits, PlanName, planNames } from './limits.ts';
import { type PlanConfigs, planConfigsRecord } from './records.ts';

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
export async function updatePlan(
  principal: Principal,
  log: Log,
  planName: string,
  limits: LimitOverrides,
): Promise<Plan> {
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
  log.account('plan_limits_changed', { userId: principal.userId, plan: name, limits });
  return planOf(name, configs);
}
