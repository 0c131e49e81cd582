import { isDeepStrictEqual } from 'node:util';
import type { AccountContext } from '../access/request-context.ts';
import { earlierRetentions } from '../audit/retention.ts';
import type { updateOrganization as change, listOrganizations as listing } from '../contracts/admin/organizations.ts';
import type { AnswerOf, BodyOf, QueryOf } from '../contracts/contract.ts';
import { type EffectiveLimits, limitNames } from '../contracts/fields/limits.ts';
import { chunksOf } from '../core/chunks-of.ts';
import { ApiError, organizationNotFound } from '../core/errors.ts';
import { networksChanged, networksOf } from '../organizations/allowed-networks.ts';
import { recoveryView } from '../organizations/recovery.ts';
import { effectiveLimits, readPlanConfigs } from '../plans/effective-limits.ts';
import { readUsage, usageOf } from '../plans/usage.ts';
import { asRead } from '../table/expressions.ts';
import { ranges } from '../table/keys.ts';
import { at, find, list, readAll } from '../table/read.ts';
import {
  directoryByNameRecord,
  directoryBySlugRecord,
  type OrganizationRecord,
  organizationPointerRecord,
  organizationRecord,
} from '../table/records/organization.ts';
import { planConfigsRecord } from '../table/records/platform.ts';
import { retryOnConditionFailed, transact, update, type Write } from '../table/write.ts';

/** An organization, its usage, where each of its limits comes from, and its last recovery. @throws organization_not_found */
export async function inspectOrganization(organizationId: string, pointer: { orgSlug: string } | undefined) {
  if (pointer === undefined) throw organizationNotFound();
  const [organization, counted, configs] = await Promise.all([
    getOrganization(organizationId, pointer),
    readUsage(pointer.orgSlug),
    readPlanConfigs(),
  ]);
  const limits = effectiveLimits(organization, configs);
  const { recovery: stored } = organization;
  const recovery = stored === undefined ? null : recoveryView(stored);
  const networks = networksOf(organization);
  return { organization, usage: usageOf(organization, counted), limits, networks, recovery };
}

/** The slug of an organization. Needs only the id, so this can run early. */
export function findPointer(organizationId: string): Promise<{ orgSlug: string } | undefined> {
  return find(at(organizationPointerRecord, organizationId));
}

/** @throws organization_not_found, also while the organization is being deleted */
export async function getOrganization(organizationId: string, pointer: { orgSlug: string } | undefined) {
  const organization = pointer === undefined ? undefined : await find(at(organizationRecord, pointer.orgSlug));
  if (organization?.id !== organizationId || organization.status !== 'active') throw organizationNotFound();
  return organization;
}

type OrganizationPage = AnswerOf<typeof listing>;

/** How many organizations are counted in parallel; more would only wait for the client's connections. */
const countedAtOnce = 50;

/** More would not fit in a response, and counting their usage would take too long for one request. */
const maximumWithoutPages = 10_000;

/** A page of the organizations (or all of them) by slug, each with its usage, without those being deleted. */
export async function listOrganizations(query: QueryOf<typeof listing>): Promise<OrganizationPage> {
  const { limit, offset, search = '' } = query;
  const slugs = await matchingSlugs(search.toLowerCase());
  const total = slugs.length;
  if (limit === undefined && total > maximumWithoutPages) {
    throw new ApiError('payload_too_large', `There are ${total} organizations. Use limit to request them in pages.`);
  }
  const pageSlugs = limit === undefined ? slugs : slugs.slice(offset, offset + limit);
  const organizations: OrganizationPage['organizations'] = [];
  for (const chunk of chunksOf(countedAtOnce, pageSlugs)) {
    // Counting needs only the slug, so it runs while the organizations are read.
    const [records, usages] = await Promise.all([
      readAll(chunk.map(slug => at(organizationRecord, slug))),
      Promise.all(chunk.map(slug => readUsage(slug))),
    ]);
    for (const [index, record] of records.entries()) {
      const usage = usages[index];
      // The organization was deleted or its slug was reused between the two reads.
      if (record?.status !== 'active' || usage?.organizationId !== record.id) continue;
      organizations.push({ ...record, usage: usageOf(record, usage) });
    }
  }
  return limit === undefined ? { organizations } : { organizations, pagination: { limit, offset, total } };
}

async function matchingSlugs(start: string): Promise<string[]> {
  const [bySlug, byName] = await Promise.all([
    list(directoryBySlugRecord, ranges.directoryBySlug(start)),
    start === '' ? [] : list(directoryByNameRecord, ranges.directoryByName(start)),
  ]);
  // In the key, `#` and the slug follow the name, and a search may also contain `#`.
  const named = byName.filter(({ name }) => name.toLowerCase().startsWith(start));
  return [...new Set([...bySlug, ...named].map(({ slug }) => slug))].sort();
}

type Requested = BodyOf<typeof change>;

/**
 * Sets an organization's plan and overrides, or removes its restriction to certain networks, and records the differences in the organization's audit log. A plan that
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
      allowedNetworks: requested.networks === null ? undefined : stored.allowedNetworks,
    };
    const { id, slug, name, plan, planChangedAtMs, limitOverrides, retentions, allowedNetworks } = after;
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
    if (allowedNetworks === undefined && stored.allowedNetworks !== undefined) {
      audits.push(await context.auditIn(after, networksChanged(stored)));
    }
    const change = update(
      at(organizationRecord, slug),
      { set: { plan, planChangedAtMs, limitOverrides, retentions, allowedNetworks } },
      {
        if: asRead(stored, [
          'id',
          'status',
          'plan',
          'planChangedAtMs',
          'limitOverrides',
          'retentions',
          'allowedNetworks',
        ]),
      },
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
