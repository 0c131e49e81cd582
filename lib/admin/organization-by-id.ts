import { organizationNotFound } from '../core/errors.ts';
import { at, find } from '../table/read.ts';
import {
  type OrganizationRecord,
  organizationPointerRecord,
  organizationRecord,
} from '../table/records/organization.ts';

/** The slug of an organization, if it exists. Only the id is needed, so this can run early. */
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
