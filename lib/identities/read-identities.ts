import type { MemberContext } from '../access/request-context.ts';
import { ranges } from '../table/keys.ts';
import { at, find, list } from '../table/read.ts';
import { type IdentityRecord, identityRecord } from '../table/records/identity.ts';
import type { OrganizationRecord } from '../table/records/organization.ts';
import { identityNotFound } from './identity-view.ts';

/** The organization's identities, oldest first. */
export async function listIdentities({ organization }: MemberContext): Promise<IdentityRecord[]> {
  const found = await list(identityRecord, ranges.identities(organization.slug));
  const identities = found.filter(identity => isOf(organization, identity));
  return identities.sort((a, b) => a.createdAt.localeCompare(b.createdAt) || a.id.localeCompare(b.id));
}

/** @throws identity_not_found */
export async function requireIdentity({ organization }: MemberContext, identityId: string): Promise<IdentityRecord> {
  const identity = await find(at(identityRecord, organization.slug, identityId));
  if (identity === undefined || !isOf(organization, identity)) throw identityNotFound();
  return identity;
}

/** The slug may have been another organization's when the identity was read. */
const isOf = ({ id }: OrganizationRecord, { organizationId }: IdentityRecord) => organizationId === id;
