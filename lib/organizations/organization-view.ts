import type { PlanName } from '../plans/limits.ts';
import type { Organization } from './organization.ts';
import type { OrganizationRecord } from './records.ts';

/** The organization as the API shows it. */
export function organizationView(organization: OrganizationRecord): Organization {
  const { id, slug, name, plan, limitOverrides, createdAt } = organization;
  return { id, slug, name, plan: plan as PlanName, limitOverrides, createdAt };
}
