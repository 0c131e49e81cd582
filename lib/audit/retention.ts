import { defaultLimits } from '../contracts/fields/limits.ts';
import { dayMs, daySeconds } from '../core/time.ts';
import { effectiveLimits, isUnlimited, planConfigsMs } from '../plans/effective-limits.ts';
import { at, find } from '../table/read.ts';
import type { EarlierRetention, OrganizationRecord } from '../table/records/organization.ts';
import { type PlanConfigsRecord, planConfigsRecord } from '../table/records/platform.ts';

/*
 * The retention in force when an entry is written determines when it expires. Each change of an organization's plan or
 * limits therefore stores the retention until then, and a plan's configuration does so for all organizations on the
 * plan.
 */

/** Beyond that, the two oldest are merged: the log then counts as complete for less time. */
const maximumRetentions = 20;

/**
 * When an entry written now expires, in epoch seconds: at the end of a day (UTC), after at least `retentionDays` whole
 * days, so that entries can be counted by expiry day. With 0 days it has already expired. Pure.
 */
export function expiryOf(nowMs: number, retentionDays: number): number {
  const today = Math.floor(nowMs / dayMs);
  return (retentionDays === 0 ? today : today + retentionDays + 1) * daySeconds;
}

/** Entries from before this time have expired if they were written under that retention. Pure. */
function keptFromMs(retentionDays: number, nowMs: number): number {
  if (isUnlimited(retentionDays)) return 0;
  return retentionDays === 0 ? nowMs : (Math.floor(nowMs / dayMs) - retentionDays) * dayMs;
}

/** The time since which the audit log certainly has every entry. */
export async function completeSince(organization: OrganizationRecord, nowMs: number): Promise<string> {
  const retentions = retentionsOf(organization, await find(at(planConfigsRecord)), nowMs);
  const lost = retentions.map(({ days, untilMs }, index) => {
    const keptMs = keptFromMs(days, nowMs);
    // Functions keep the earlier configuration in memory for a while.
    return (retentions[index - 1]?.untilMs ?? 0) < keptMs ? Math.min(untilMs + planConfigsMs, keptMs) : 0;
  });
  return new Date(Math.max(Date.parse(organization.createdAt), ...lost)).toISOString();
}

/** The retentions that an organization whose plan or limits now change has to store, oldest first. Pure. */
export function earlierRetentions(
  organization: OrganizationRecord,
  configs: PlanConfigsRecord | undefined,
  nowMs: number,
): EarlierRetention[] {
  const all = retentionsOf(organization, configs, nowMs);
  const distinct = all.filter(({ days }, index) => days !== all[index + 1]?.days);
  const lastLost = distinct.findLastIndex(({ days, untilMs }) => untilMs <= keptFromMs(days, nowMs));
  const needed = distinct.slice(Math.max(0, lastLost));
  const [oldest, second] = needed;
  if (needed.length <= maximumRetentions || oldest === undefined || second === undefined) return needed;
  return [{ ...second, days: fewest(oldest.days, second.days) }, ...needed.slice(2)];
}

/** The earlier retentions and the current one, oldest first. Pure. */
function retentionsOf(organization: OrganizationRecord, configs: PlanConfigsRecord | undefined, nowMs: number) {
  const { plan, retentions } = organization;
  const { effective, source } = effectiveLimits(organization, configs?.plans ?? {});
  const raised = source.auditRetentionDays === 'override' ? undefined : configs?.raised?.[plan];
  const isLater = raised !== undefined && raised.untilMs > (retentions?.at(-1)?.untilMs ?? 0);
  const current = { days: effective.auditRetentionDays, untilMs: nowMs };
  const all = [...(retentions ?? []), ...(isLater ? [raised] : []), current];
  if (retentions !== undefined) return all;
  // Stored before this was recorded, so the organization may have had the plan with the shortest retention.
  return all.map(({ days, untilMs }) => ({ days: fewest(days, defaultLimits.free.auditRetentionDays), untilMs }));
}

function fewest(a: number, b: number): number {
  return isUnlimited(a) || isUnlimited(b) ? Math.max(a, b) : Math.min(a, b);
}
