import { PlanName } from '../contracts/fields/limits.ts';
import { effectiveLimits, isUnlimited, planConfigsMs } from '../plans/effective-limits.ts';
import { ranges } from '../table/keys.ts';
import { at, find, list } from '../table/read.ts';
import { type AuditRecord, auditRecord } from '../table/records/audit-entry.ts';
import type { OrganizationRecord } from '../table/records/organization.ts';
import { type PlanConfigs, planConfigsRecord } from '../table/records/plan-configs.ts';

const dayMs = 86_400_000;

/** A time until which entries were kept for this many days. */
interface Retention {
  days: number;
  untilMs: number;
}

/**
 * Since when the audit log certainly has every entry (epoch milliseconds). An entry expires as its plan said when it was
 * written, so a plan that keeps entries longer does not bring back what an earlier one has let go: changes of the plan
 * and of its limits are in the log, and those of a plan's configuration are in the configuration.
 */
export async function knownSince(organization: OrganizationRecord, nowMs: number): Promise<number> {
  const changesOf = (action: 'billing.plan_changed' | 'organization.limits_changed') =>
    list(auditRecord, ranges.auditEntries(organization.id, 0, action));
  const [configs, ...changes] = await Promise.all([
    find(at(planConfigsRecord)),
    changesOf('billing.plan_changed'),
    changesOf('organization.limits_changed'),
  ]);
  const daysOf = (planned: Pick<OrganizationRecord, 'plan' | 'limitOverrides'>, plans: PlanConfigs) =>
    effectiveLimits(planned, plans).effective.auditRetentionDays;
  const plans = configs?.plans ?? {};
  const before = changes.flat().map(entry => ({
    ...plannedBefore(organization, entry),
    untilMs: Date.parse(entry.createdAt),
  }));
  const raised = [organization, ...before].flatMap(({ plan }) => configs?.raised?.[plan] ?? []);
  const current = { days: daysOf(organization, plans), untilMs: nowMs };
  const earlier = before.map(({ untilMs, ...planned }) => ({ days: daysOf(planned, plans), untilMs }));
  const times = [current, ...earlier, ...raised].map(retention => lostUntil(retention, nowMs));
  return Math.max(Date.parse(organization.createdAt), ...times);
}

/** Entries written before this time, while that retention was in force, may have expired (see `expiryOf`). Pure. */
function lostUntil({ days, untilMs }: Retention, nowMs: number): number {
  if (isUnlimited(days)) return 0;
  const today = Math.floor(nowMs / dayMs);
  // A function may have used the earlier configuration for as long as it keeps it in memory.
  return Math.min(untilMs + planConfigsMs, days === 0 ? nowMs : (today - days) * dayMs);
}

function plannedBefore(
  { plan, limitOverrides }: OrganizationRecord,
  { action, details }: AuditRecord,
): { plan: PlanName; limitOverrides: Readonly<Record<string, number>> } {
  const from = details?.from;
  if (action === 'billing.plan_changed') return { plan: PlanName.parse(from), limitOverrides };
  return {
    plan,
    limitOverrides: Object.fromEntries(Object.entries(from ?? {}).map(([name, value]) => [name, Number(value)])),
  };
}
