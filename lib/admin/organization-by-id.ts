import { organizationNotFound } from '../core/errors.ts';
import { at, find } from '../table/read.ts';
import {
  type OrganizationRecord,
  organizationPointerRecord,
  organizationRecord,
} from '../table/records/organization.ts';

/** Where an organization's id leads: its slug, as long as it exists. Needs nothing but the id, so it is read early. */
export function findPointer(organizationId: string): Promise<{ orgSlug: string } | undefined> {
  return find(at(organizationPointerRecord, organizationId));
}

/** @throws organization_not_found, also while the organization is being deleted */
export async function getOrganization(
  organizationId: string,
  pointer: { orgSlug: string } | undefined,
): Promise<OrganizationRecord> {
  const organization = pointer === undefined ? undefined : await find(at(organizationRecord, pointer.orgSlug));
  if (organization?.id !== organizationId || organization.status !== 'active') {
    throw organizationNotFound();
  }
  return organization;
}
