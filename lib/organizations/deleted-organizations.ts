import { requireNetwork } from '../access/allowed-networks.ts';
import { cameThroughProviderOf, hasOwnFactorProved, requireFactorIn } from '../access/fresh-session.ts';
import { onlyOrganizationOf } from '../access/principal.ts';
import type { AccountContext } from '../access/request-context.ts';
import type { DeletedOrganization } from '../contracts/organizations/deleted.ts';
import { ApiError } from '../core/errors.ts';
import { renewedRevision } from '../table/access-revision.ts';
import { asRead } from '../table/expressions.ts';
import { ranges } from '../table/keys.ts';
import { at, find, list, readAll, readTogether } from '../table/read.ts';
import { isKept, isKeptUntilLater, isStillKept, type KeptRecord } from '../table/records/kept.ts';
import {
  memberRecord,
  membershipRecord,
  type OrganizationRecord,
  organizationRecord,
} from '../table/records/organization.ts';
import { countPlatform } from '../table/records/platform.ts';
import { endWork } from '../table/records/unfinished-work.ts';
import { transact, update } from '../table/write.ts';
import { directoryEntries } from './change-organization.ts';
import { deletedNotFound, detailsOf } from './keep-deleted.ts';

type KeptOrganization = KeptRecord<OrganizationRecord>;

/** The deleted organizations that the caller owned, the latest deletion first. Two round trips. */
export async function listDeletedOrganizations({ principal }: AccountContext): Promise<DeletedOrganization[]> {
  const { userId } = principal;
  const only = onlyOrganizationOf(principal);
  const memberships = (await list(membershipRecord, ranges.memberships(userId))).filter(
    ({ organizationId }) => only === undefined || organizationId === only,
  );
  const [organizations, members] = await Promise.all([
    readAll(memberships.map(({ orgSlug }) => at(organizationRecord, orgSlug))),
    readAll(memberships.map(({ orgSlug }) => at(memberRecord, orgSlug, userId))),
  ]);
  return memberships
    .flatMap(({ organizationId }, index) => {
      const organization = organizations[index];
      return organization?.id === organizationId && members[index]?.role === 'owner' ? [organization] : [];
    })
    .filter(isKept)
    .filter(isKeptUntilLater)
    .map(({ id, slug, name, kept }) => ({ id, slug, name, ...detailsOf(kept) }))
    .toSorted((a, b) => b.deletedAt.localeCompare(a.deletedAt) || a.id.localeCompare(b.id));
}

/**
 * Undoes the deletion of an organization: everything is as it was.
 * @throws deleted_not_found, also to everybody who was not its owner, and if it was erased first;
 * second_factor_required, provider_required, network_not_allowed as in the organization itself
 */
export async function restoreOrganization(context: AccountContext, organizationId: string): Promise<void> {
  const organization = await getDeletedOrganization(context, organizationId);
  requireRights(context, organization);
  const { id, slug, name, projectCount } = organization;
  const item = at(organizationRecord, slug);
  // The platform's count changes by the value that was read, and a project may be erased meanwhile.
  const isSame = { ...isStillKept(organization), ...asRead(organization, ['projectCount']) };
  const set = { status: 'active', kept: undefined, ...renewedRevision() } as const;
  const target = { type: 'organization', id, name } as const;
  await transact([
    update(item, { set }, { if: isSame, refused: deletedNotFound }),
    ...directoryEntries(organization),
    countPlatform({ organizations: 1, projects: projectCount }),
    endWork(id),
    await context.auditIn(organization, {
      action: 'organization.restored',
      target,
      details: { ...detailsOf(organization.kept), deletedBy: organization.kept.deletedBy.email },
    }),
  ]);
  context.log.account('organization_restored', { organizationId: id, userId: context.principal.userId });
}

async function getDeletedOrganization({ principal }: AccountContext, id: string): Promise<KeptOrganization> {
  const { userId } = principal;
  const membership = await find(at(membershipRecord, userId, id));
  if (membership === undefined || (onlyOrganizationOf(principal) ?? id) !== id) throw deletedNotFound();
  const { organization, member } = await readTogether({
    organization: at(organizationRecord, membership.orgSlug),
    member: at(memberRecord, membership.orgSlug, userId),
  });
  const isOwned = organization?.id === id && member?.role === 'owner';
  if (!isOwned || !isKept(organization) || !isKeptUntilLater(organization)) throw deletedNotFound();
  return organization;
}

/**
 * What the organization requires of an owner. Nobody can sign in through the provider of a deleted organization, so a
 * factor of the account's own suffices in its place, as when an owner breaks glass.
 */
function requireRights({ principal, source }: AccountContext, organization: OrganizationRecord): void {
  const isThroughProvider = cameThroughProviderOf(organization, principal) || hasOwnFactorProved(principal);
  if (organization.requireProvider === true && !isThroughProvider) {
    const message = 'This organization requires its sign-in provider, or a second factor of your own to restore it.';
    throw new ApiError('provider_required', message);
  }
  requireFactorIn(organization, principal);
  requireNetwork(organization, 'people', source.ip);
}
