import type { AccountContext } from '../access/request-context.ts';
import { type LimitOverrides, limitNames, PlanName } from '../contracts/fields/limits.ts';
import { ApiError } from '../core/errors.ts';
import { effectiveLimits, isUnlimited, planOf } from '../plans/effective-limits.ts';
import { equals, isNew } from '../table/expressions.ts';
import { at, find } from '../table/read.ts';
import { type PlanConfigs, type PlanConfigsRecord, planConfigsRecord } from '../table/records/platform.ts';
import { put, retryOnConditionFailed, transact } from '../table/write.ts';

/**
 * Sets some of a plan's limits for all organizations on the plan. The new limits apply to creations from now on. The
 * change doesn't belong in any one organization's audit log, so it is written to the service's log.
 * @throws plan_not_found
 */
export async function updatePlan({ principal, log }: AccountContext, planName: string, limits: LimitOverrides) {
  const parsed = PlanName.safeParse(planName);
  if (!parsed.success) throw new ApiError('plan_not_found', 'There is no such plan.');
  const name = parsed.data;
  const configs = await retryOnConditionFailed(async () => {
    const stored = await find(at(planConfigsRecord));
    const named = limitNames.flatMap(limit => (limits[limit] === undefined ? [] : [[limit, limits[limit]] as const]));
    const plans: PlanConfigs = { ...stored?.plans, [name]: { ...stored?.plans[name], ...Object.fromEntries(named) } };
    const record = { plans, raised: raisedRetention(stored, plans, name) };
    await transact([put(at(planConfigsRecord), record, { if: stored ? { plans: equals(stored.plans) } : isNew })]);
    return plans;
  });
  log.account('plan_limits_changed', { userId: principal.userId, plan: name, limits });
  return planOf(name, configs);
}

/** For `completeSince`, if the plan now keeps audit entries longer. */
function raisedRetention(stored: PlanConfigsRecord | undefined, plans: PlanConfigs, plan: PlanName) {
  const daysOf = (configs: PlanConfigs) => {
    const days = effectiveLimits({ plan, limitOverrides: {} }, configs).effective.auditRetentionDays;
    return isUnlimited(days) ? Number.POSITIVE_INFINITY : days;
  };
  const days = daysOf(stored?.plans ?? {});
  if (daysOf(plans) <= days) return stored?.raised;
  const earlierDays = stored?.raised?.[plan]?.days ?? days;
  return { ...stored?.raised, [plan]: { days: Math.min(days, earlierDays), untilMs: Date.now() } };
}
