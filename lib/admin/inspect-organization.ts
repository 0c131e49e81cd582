import type { EffectiveLimits, Usage } from '../contracts/fields/limits.ts';
import { organizationNotFound } from '../core/errors.ts';
import { effectiveLimits, readPlanConfigs } from '../plans/effective-limits.ts';
import { readUsage, usageOf } from '../plans/usage.ts';
import { at, find } from '../table/read.ts';
import {
  type OrganizationRecord,
  organizationPointerRecord,
  organizationRecord,
} from '../table/records/organization.ts';

/** An organization, its usage, and where each of its limits comes from. @throws organization_not_found */
export async function inspectOrganization(
  organizationId: string,
  pointer: { orgSlug: string } | undefined,
): Promise<{ organization: OrganizationRecord; usage: Usage; limits: EffectiveLimits }> {
  if (pointer === undefined) throw organizationNotFound();
  const [organization, counted, configs] = await Promise.all([
    getOrganization(organizationId, pointer),
    readUsage(pointer.orgSlug),
    readPlanConfigs(),
  ]);
  return { organization, usage: usageOf(organization, counted), limits: effectiveLimits(organization, configs) };
}

/** The slug of an organization. Needs only the id, so this can run early. */
export function findPointer(organizationId: string): Promise<{ orgSlug: string } | undefined> {
  return find(at(organizationPointerRecord, organizationId));
}

/** @throws organization_not_found, also while the organization is being deleted */
export async function getOrganization(
  organizationId: string,
  pointer: { orgSlug: string } | undefined,
): Promise<OrganizationRecord> {
  const organization = pointer === undefined ? undefined : await find(at(organizationRecord, pointer.orgSlug));
  if (organization?.id !== organizationId || organization.status !== 'active') throw organizationNotFound();
  return organization;
}
