import type { MemberContext } from '../access/request-context.ts';
import type { BillingStatus } from '../contracts/fields/billing-status.ts';
import type { PlanLimits, PlanName, Usage } from '../contracts/fields/limits.ts';
import { effectiveLimits, readPlanConfigs } from '../plans/effective-limits.ts';
import { type Plan, plansOf } from '../plans/plan-configs.ts';
import { readUsage, usageOf } from '../plans/usage.ts';

interface Billing {
  plan: PlanName;
  status: BillingStatus;
  limits: PlanLimits;
  usage: Usage;
  plans: Plan[];
  currentPeriodEnd: string | null;
}

/** The organization's plan, subscription, limits and usage, plus the limits of all plans. */
export async function readBilling({ organization }: MemberContext): Promise<Billing> {
  const [counted, configs] = await Promise.all([readUsage(organization.slug), readPlanConfigs()]);
  const { plan, billing } = organization;
  return {
    plan,
    status: billing?.status ?? 'none',
    limits: effectiveLimits(organization, configs).effective,
    usage: usageOf(organization, counted),
    plans: plansOf(configs),
    currentPeriodEnd: billing?.currentPeriodEnd ?? null,
  };
}
