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
import { settings } from '../core/settings.ts';
import { minuteMs } from '../core/time.ts';
import { at, find } from '../table/read.ts';
import { type PlanConfigs, planConfigsRecord } from '../table/records/platform.ts';

interface Limited {
  plan: PlanName;
  limitOverrides: Readonly<Record<string, number>>;
}

/** The limits in force: the organization's override, else its plan's config, else the default. */
export function effectiveLimits({ plan, limitOverrides }: Limited, configs: PlanConfigs): EffectiveLimits {
  const configured = configs[plan] ?? {};
  const sourceOf = (name: LimitName) => {
    if (limitOverrides[name] !== undefined) return 'override';
    return configured[name] === undefined ? 'default' : 'plan';
  };
  return {
    effective: Object.fromEntries(
      limitNames.map(name => [name, limitOf(name, { plan, limitOverrides }, configs)]),
    ) as EffectiveLimits['effective'],
    source: Object.fromEntries(limitNames.map(name => [name, sourceOf(name)])) as EffectiveLimits['source'],
  };
}

function limitOf(name: LimitName, { plan, limitOverrides }: Limited, configs: PlanConfigs): number {
  return limitOverrides[name] ?? configs[plan]?.[name] ?? defaultLimit(name, plan);
}

function defaultLimit(name: LimitName, plan: PlanName): number {
  return name === 'requestsPerMinute' ? settings().REQUESTS_PER_MINUTE : defaultLimits[plan][name];
}

/** An organization's share of requests, for `takeShare`. */
export function requestShareOf(organization: Limited & { id: string; slug: string }, configs: PlanConfigs) {
  const { id, slug } = organization;
  return { id, slug, requestsPerMinute: limitOf('requestsPerMinute', organization, configs) };
}

export async function readPlanConfigs(): Promise<PlanConfigs> {
  return (await find(at(planConfigsRecord)))?.plans ?? {};
}

/** For how long a function keeps the plan configs in memory. */
export const planConfigsMs = minuteMs;

/** Precise enough for the expiry of audit entries and for shares of requests. Limits on creation must use `readPlanConfigs`. */
export const recentPlanConfigs = /* @__PURE__ */ cachedRead('plan-configs', planConfigsMs, readPlanConfigs);

/** What each limit counts. */
const counted: Readonly<Record<LimitName, string>> = {
  maxProjects: 'projects',
  maxEnvironmentsPerProject: 'environments in the project',
  maxSecretsPerEnvironment: 'secrets in the environment',
  maxMembers: 'places for members and invitations',
  maxWebhooks: 'webhooks',
  auditRetentionDays: 'days of the audit log',
  requestsPerMinute: 'requests per minute',
};

/** @throws plan_limit_exceeded with the limit's name, its value and the current usage */
export function planLimitExceeded(limit: LimitName, value: number, used: number): ApiError {
  const message = `This would exceed a limit of the organization: ${used} of ${value} ${counted[limit]} are in use.`;
  return new ApiError('plan_limit_exceeded', message, {
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
