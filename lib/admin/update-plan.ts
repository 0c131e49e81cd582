import type { AccountContext } from '../access/request-context.ts';
import type { Plan } from '../contracts/fields/limits.ts';
import { type LimitOverrides, limitNames, PlanName } from '../contracts/fields/limits.ts';
import { ApiError } from '../core/errors.ts';
import { planOf } from '../plans/plan-configs.ts';
import { equals, isNew } from '../table/expressions.ts';
import { at, find } from '../table/read.ts';
import { type PlanConfigs, planConfigsRecord } from '../table/records/plan-configs.ts';
import { put, retryOnConditionFailed, transact } from '../table/write.ts';

/**
 * Sets some of a plan's limits for all organizations on the plan. The new limits apply to creations from now on. The
 * change doesn't belong in any one organization's audit log, so it is written to the service's log.
 * @throws plan_not_found
 */
export async function updatePlan(
  { principal, log }: AccountContext,
  planName: string,
  limits: LimitOverrides,
): Promise<Plan> {
  const parsed = PlanName.safeParse(planName);
  if (!parsed.success) throw new ApiError('plan_not_found', 'There is no such plan.');
  const name = parsed.data;
  const configs = await retryOnConditionFailed(async () => {
    const before = (await find(at(planConfigsRecord)))?.plans;
    const named = limitNames.flatMap(limit => (limits[limit] === undefined ? [] : [[limit, limits[limit]] as const]));
    const plans: PlanConfigs = { ...before, [name]: { ...before?.[name], ...Object.fromEntries(named) } };
    await transact([
      put(at(planConfigsRecord), { plans }, { if: before === undefined ? isNew : { plans: equals(before) } }),
    ]);
    return plans;
  });
  log.account('plan_limits_changed', { userId: principal.userId, plan: name, limits });
  return planOf(name, configs);
}
