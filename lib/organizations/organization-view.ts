import type { Organization } from '../contracts/fields/organization.ts';
import type { OrganizationRecord } from '../table/records/organization.ts';

/** The organization as the API shows it. */
export function organizationView(organization: OrganizationRecord): Organization {
  const { id, slug, name, plan, limitOverrides, createdAt } = organization;
  return { id, slug, name, plan, limitOverrides, createdAt };
}
