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

type Requested = BodyOf<typeof contract>;

/**
 * Sets an organization's plan and overrides, and records the differences in the organization's audit log. A plan that
 * an administrator sets takes precedence over earlier events from the payment provider, even if the organization
 * already has that plan.
 * @throws organization_not_found
 */
export async function updateOrganization(
  context: AccountContext,
  organizationId: string,
  requested: Requested,
  pointer: { orgSlug: string } | undefined,
): Promise<{ organization: OrganizationRecord; limits: EffectiveLimits }> {
  return retryOnConditionFailed(async () => {
    const reads = [getOrganization(organizationId, pointer), find(at(planConfigsRecord))] as const;
    const [stored, configs] = await Promise.all(reads);
    const nowMs = Date.now();
    const after: OrganizationRecord = {
      ...stored,
      plan: requested.plan ?? stored.plan,
      planChangedAtMs: requested.plan === undefined ? stored.planChangedAtMs : nowMs,
      limitOverrides: mergeOverrides(stored.limitOverrides, requested.limitOverrides ?? {}),
      retentions: earlierRetentions(stored, configs, nowMs),
    };
    const { id, slug, name, plan, planChangedAtMs, limitOverrides, retentions } = after;
    const target = { type: 'organization', id, name } as const;
    const audits: Write[] = [];
    if (plan !== stored.plan) {
      const details = { from: stored.plan, to: plan };
      audits.push(await context.auditIn(after, { action: 'billing.plan_changed', target, details }));
    }
    if (!isDeepStrictEqual(limitOverrides, stored.limitOverrides)) {
      const details = { from: stored.limitOverrides, to: limitOverrides };
      audits.push(await context.auditIn(after, { action: 'organization.limits_changed', target, details }));
    }
    const change = update(
      at(organizationRecord, slug),
      { set: { plan, planChangedAtMs, limitOverrides, retentions } },
      { if: asRead(stored, ['id', 'status', 'plan', 'planChangedAtMs', 'limitOverrides', 'retentions']) },
    );
    await transact([change, ...audits]);
    return { organization: after, limits: effectiveLimits(after, configs?.plans ?? {}) };
  });
}

/** Merges a change into the overrides: fields that are not named stay, null removes one. */
export function mergeOverrides(
  stored: Readonly<Record<string, number>>,
  requested: NonNullable<Requested['limitOverrides']>,
): Record<string, number> {
  const merged: Record<string, number> = { ...stored };
  for (const name of limitNames) {
    const value = requested[name];
    if (value === null) delete merged[name];
    else if (value !== undefined) merged[name] = value;
  }
  return merged;
}
