import { isDeepStrictEqual } from 'node:util';
import { type AuditFacts, newAuditEntry } from '../access/audit-write.ts';
import type { AccountContext } from '../access/request-context.ts';
import type { updateOrganization as contract } from '../contracts/admin/update-organization.ts';
import type { BodyOf } from '../contracts/contract.ts';
import { type EffectiveLimits, limitNames } from '../contracts/fields/limits.ts';
import { effectiveLimits, readPlanConfigs } from '../plans/effective-limits.ts';
import { asRead } from '../table/expressions.ts';
import { at } from '../table/read.ts';
import { type OrganizationRecord, organizationRecord } from '../table/records/organization.ts';
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
    const [before, configs] = await Promise.all([getOrganization(organizationId, pointer), readPlanConfigs()]);
    const after: OrganizationRecord = {
      ...before,
      plan: wanted.plan ?? before.plan,
      planChangedAtMs: wanted.plan === undefined ? before.planChangedAtMs : Date.now(),
      limitOverrides: mergeOverrides(before.limitOverrides, wanted.limitOverrides ?? {}),
    };
    const { id, slug, name } = after;
    const { plan, planChangedAtMs, limitOverrides } = after;
    const target = { type: 'organization', id, name } as const;
    const { createdAtMs } = newAuditEntry();
    // With one time, so that it can be told later that they were changed together.
    const record = (facts: Pick<AuditFacts, 'action' | 'details'>) =>
      context.auditIn(after, { ...facts, target, entry: { ...newAuditEntry(), createdAtMs } });
    const audits: Write[] = [];
    if (plan !== before.plan) {
      const details = { from: before.plan, to: plan };
      audits.push(await record({ action: 'billing.plan_changed', details }));
    }
    if (!isDeepStrictEqual(limitOverrides, before.limitOverrides)) {
      const details = { from: before.limitOverrides, to: limitOverrides };
      audits.push(await record({ action: 'organization.limits_changed', details }));
    }
    const change = update(
      at(organizationRecord, slug),
      { set: { plan, planChangedAtMs, limitOverrides } },
      { if: asRead(before, ['id', 'status', 'plan', 'planChangedAtMs', 'limitOverrides']) },
    );
    await transact([change, ...audits]);
    return { organization: after, limits: effectiveLimits(after, configs) };
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
