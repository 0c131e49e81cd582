import {
  defaultLimits,
  type EffectiveLimits,
  type LimitName,
  limitNames,
  type Plan,
  type PlanName,
  planNames,
  unlimited,
} from '../contracts/fields/limits.ts';
import { ApiError } from '../core/errors.ts';
import { cachedRead } from '../core/process-memory.ts';
import { minuteMs } from '../core/time.ts';
import { at, find } from '../table/read.ts';
import { type PlanConfigs, planConfigsRecord } from '../table/records/platform.ts';

interface Planned {
  plan: PlanName;
  limitOverrides: Readonly<Record<string, number>>;
}

/**
 * The limits in force: the organization's override, else the runtime config of its plan, else the built-in default.
 * Pure.
 */
export function effectiveLimits(organization: Planned, configs: PlanConfigs): EffectiveLimits {
  const builtIn = defaultLimits[organization.plan];
  const resolved = limitNames.map(name => {
    const override = organization.limitOverrides[name];
    if (override !== undefined) return { name, value: override, source: 'override' as const };
    const configured = configs[organization.plan]?.[name];
    if (configured !== undefined) return { name, value: configured, source: 'plan' as const };
    return { name, value: builtIn[name], source: 'default' as const };
  });
  return {
    effective: Object.fromEntries(resolved.map(({ name, value }) => [name, value])) as EffectiveLimits['effective'],
    source: Object.fromEntries(resolved.map(({ name, source }) => [name, source])) as EffectiveLimits['source'],
  };
}

/** The current runtime plan configs. */
export async function readPlanConfigs(): Promise<PlanConfigs> {
  return (await find(at(planConfigsRecord)))?.plans ?? {};
}

/** For how long a function keeps the plan configs in memory. */
export const planConfigsMs = minuteMs;

/**
 * The plan configs, up to a minute old: precise enough for the expiry of audit entries, without a read on the hot path.
 * Limits on creation must use `readPlanConfigs`.
 */
export const recentPlanConfigs = /* @__PURE__ */ cachedRead('plan-configs', planConfigsMs, readPlanConfigs);

/** @throws plan_limit_exceeded with the limit's name, its value and the current usage */
export function planLimitExceeded(limit: LimitName, value: number, used: number): ApiError {
  return new ApiError('plan_limit_exceeded', `The plan's limit ${limit} of ${value} has been reached.`, {
    details: { limit, value, used },
  });
}

export function isUnlimited(value: number): boolean {
  return value === unlimited;
}

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
