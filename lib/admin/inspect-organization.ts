import type { EffectiveLimits, Usage } from '../contracts/fields/limits.ts';
import { organizationNotFound } from '../core/errors.ts';
import { effectiveLimits, readPlanConfigs } from '../plans/effective-limits.ts';
import { readUsage, usageOf } from '../plans/usage.ts';
import type { OrganizationRecord } from '../table/records/organization.ts';
import { getOrganization } from './organization-by-id.ts';

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
  return {
    organization,
    usage: usageOf(organization, counted),
    limits: effectiveLimits(organization, configs),
  };
}
