import { PlanName } from '../contracts/fields/limits.ts';
import { effectiveLimits, isUnlimited, planConfigsMs } from '../plans/effective-limits.ts';
import { ranges } from '../table/keys.ts';
import { at, find, list } from '../table/read.ts';
import { type AuditRecord, auditRecord } from '../table/records/audit-entry.ts';
import type { OrganizationRecord } from '../table/records/organization.ts';
import { type PlanConfigsRecord, planConfigsRecord } from '../table/records/plan-configs.ts';

const dayMs = 86_400_000;

/** The plan and the overrides of an organization, in epoch milliseconds from one change of them to the next. */
interface Stretch extends Pick<OrganizationRecord, 'plan' | 'limitOverrides'> {
  fromMs: number;
  untilMs: number;
}

/** For how many days entries of a time were kept. */
interface Retention extends Pick<Stretch, 'fromMs' | 'untilMs'> {
  days: number;
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
  const times = stretchesOf(organization, changes.flat(), nowMs)
    .flatMap(stretch => retentionsIn(stretch, configs))
    .map(retention => lostUntil(retention, nowMs));
  return Math.max(Date.parse(organization.createdAt), ...times);
}

/**
 * Newest first. Each entry says what it replaced, so the changes are taken back one by one. If the entry of a change has
 * expired, so has everything from before it.
 */
function stretchesOf(
  { plan, limitOverrides }: OrganizationRecord,
  changes: readonly AuditRecord[],
  nowMs: number,
): Stretch[] {
  let later: Stretch = { plan, limitOverrides, fromMs: 0, untilMs: nowMs };
  const stretches = [later];
  for (const change of changes.toSorted((a, b) => (a.createdAt < b.createdAt ? 1 : -1))) {
    later.fromMs = Date.parse(change.createdAt);
    later = { ...later, ...replacedBy(change), fromMs: 0, untilMs: later.fromMs };
    stretches.push(later);
  }
  // Changes of the same time were made together, so nothing was written between them.
  return stretches.filter(({ fromMs, untilMs }) => fromMs < untilMs);
}

function replacedBy({ action, details }: AuditRecord): Partial<Stretch> {
  const from = details?.from;
  if (action === 'billing.plan_changed') return { plan: PlanName.parse(from) };
  const limits = Object.entries(from ?? {}).map(([name, value]) => [name, Number(value)]);
  return { limitOverrides: Object.fromEntries(limits) };
}

/** The plan may have kept entries for fewer days earlier in the stretch, unless an override takes precedence. Pure. */
function retentionsIn(stretch: Stretch, configs: PlanConfigsRecord | undefined): Retention[] {
  const { effective, source } = effectiveLimits(stretch, configs?.plans ?? {});
  const { fromMs, untilMs } = stretch;
  const raised = source.auditRetentionDays === 'override' ? undefined : configs?.raised?.[stretch.plan];
  return [
    { days: effective.auditRetentionDays, fromMs, untilMs },
    ...(raised === undefined
      ? []
      : [{ days: raised.days, fromMs, untilMs: Math.min(untilMs, raised.untilMs) }].filter(
          one => one.fromMs < one.untilMs,
        )),
  ];
}

/** Entries from before this time, written under that retention, may have expired (see `expiryOf`). Pure. */
function lostUntil({ days, fromMs, untilMs }: Retention, nowMs: number): number {
  if (isUnlimited(days)) return 0;
  const keptFrom = days === 0 ? nowMs : (Math.floor(nowMs / dayMs) - days) * dayMs;
  // A function may have used the earlier configuration for as long as it keeps it in memory.
  return fromMs < keptFrom ? Math.min(untilMs + planConfigsMs, keptFrom) : 0;
}
