import type { MemberContext } from '../access/request-context.ts';
import type { getBilling as contract } from '../contracts/billing/billing.ts';
import type { AnswerOf } from '../contracts/contract.ts';
import { boughtPlans } from '../contracts/fields/limits.ts';
import { effectiveLimits, plansOf, readPlanConfigs } from '../plans/effective-limits.ts';
import { readUsage, usageOf } from '../plans/usage.ts';
import { configuredPrices } from './prices.ts';

/** The organization's plan, subscription, limits and usage, plus the limits of all plans. */
export async function readBilling({ organization }: MemberContext): Promise<AnswerOf<typeof contract>> {
  const [counted, configs] = await Promise.all([readUsage(organization.slug), readPlanConfigs()]);
  const { plan, billing } = organization;
  const prices = configuredPrices();
  return {
    plan,
    status: billing?.status ?? 'none',
    limits: effectiveLimits(organization, configs).effective,
    usage: usageOf(organization, counted),
    plans: plansOf(configs),
    forSale: boughtPlans.filter(name => prices[name] !== undefined),
    currentPeriodEnd: billing?.currentPeriodEnd ?? null,
  };
}
