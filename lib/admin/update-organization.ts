import { isDeepStrictEqual } from 'node:util';
import type { AccountContext } from '../access/request-context.ts';
import { earlierRetentions } from '../audit/retention.ts';
import type { updateOrganization as contract } from '../contracts/admin/organizations.ts';
import type { BodyOf } from '../contracts/contract.ts';
import { type EffectiveLimits, limitNames } from '../contracts/fields/limits.ts';
import { effectiveLimits } from '../plans/effective-limits.ts';
import { asRead } from '../table/expressions.ts';
import { at, find } from '../table/read.ts';
import { type OrganizationRecord, organizationRecord } from '../table/records/organization.ts';
import { planConfigsRecord } from '../table/records/platform.ts';
import { retryOnConditionFailed, transact, update, type Write } from '../table/write.ts';
import { getOrganization } from './inspect-organization.ts';

type Wanted = BodyOf<typeof contract>;

/**
 * Sets an organization's plan and overrides, and records the differences in the organization's audit log. A plan that
 * an administrator sets takes precedence over earlier events from the payment provider, even if the organization
 * already has that plan.
 * @throws organization_not_found
 */
export async function updateOrganization(
  context: AccountContext,
  organizationId: string,
  wanted: Wanted,
  pointer: { orgSlug: string } | undefined,
): Promise<{ organization: OrganizationRecord; limits: EffectiveLimits }> {
  return retryOnConditionFailed(async () => {
    const [before, configs] = await Promise.all([
      getOrganization(organizationId, pointer),
      find(at(planConfigsRecord)),
    ]);
    const nowMs = Date.now();
    const after: OrganizationRecord = {
      ...before,
      plan: wanted.plan ?? before.plan,
      planChangedAtMs: wanted.plan === undefined ? before.planChangedAtMs : nowMs,
      limitOverrides: mergeOverrides(before.limitOverrides, wanted.limitOverrides ?? {}),
      retentions: earlierRetentions(before, configs, nowMs),
    };
    const { id, slug, name, plan, planChangedAtMs, limitOverrides, retentions } = after;
    const target = { type: 'organization', id, name } as const;
    const audits: Write[] = [];
    if (plan !== before.plan) {
      const details = { from: before.plan, to: plan };
      audits.push(await context.auditIn(after, { action: 'billing.plan_changed', target, details }));
    }
    if (!isDeepStrictEqual(limitOverrides, before.limitOverrides)) {
      const details = { from: before.limitOverrides, to: limitOverrides };
      audits.push(await context.auditIn(after, { action: 'organization.limits_changed', target, details }));
    }
    const change = update(
      at(organizationRecord, slug),
      { set: { plan, planChangedAtMs, limitOverrides, retentions } },
      { if: asRead(before, ['id', 'status', 'plan', 'planChangedAtMs', 'limitOverrides', 'retentions']) },
    );
    await transact([change, ...audits]);
    return { organization: after, limits: effectiveLimits(after, configs?.plans ?? {}) };
  });
}

/** Merges a change into the overrides: fields that are not named stay, null removes one. Pure. */
export function mergeOverrides(
  before: Readonly<Record<string, number>>,
  wanted: NonNullable<Wanted['limitOverrides']>,
): Record<string, number> {
  const merged: Record<string, number> = { ...before };
  for (const name of limitNames) {
    const value = wanted[name];
    if (value === null) delete merged[name];
    else if (value !== undefined) merged[name] = value;
  }
  return merged;
}
