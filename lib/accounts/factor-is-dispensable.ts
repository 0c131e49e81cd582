import { ApiError } from '../core/errors.ts';
import { ownerIsDispensable } from '../organizations/break-glass.ts';
import { ranges } from '../table/keys.ts';
import { at, list, readAll } from '../table/read.ts';
import {
  memberRecord,
  membershipRecord,
  type OrganizationRecord,
  organizationRecord,
} from '../table/records/organization.ts';
import type { Write } from '../table/write.ts';
import type { BeforeRemoval } from './factors/change-factors.ts';
import { listTokens } from './tokens.ts';

export type Membership = ReturnType<typeof membershipRecord.parse>;

/** Where the user is a member, read in parallel with authentication. */
export async function foreseeMemberships(userId: string | undefined): Promise<Membership[]> {
  return userId === undefined ? [] : list(membershipRecord, ranges.memberships(userId));
}

/**
 * One round trip if `foreseen` names all memberships. Read after the account: a token or an organization created since
 * fails the condition on the account.
 */
export async function readBeforeRemoval(userId: string, foreseen: readonly Membership[]): Promise<BeforeRemoval> {
  const [tokens, memberships, foreseenOwned] = await Promise.all([
    listTokens(userId),
    list(membershipRecord, ranges.memberships(userId)),
    ownedOf(userId, foreseen),
  ]);
  const foreseenIds = new Set(foreseen.map(({ organizationId }) => organizationId));
  const unforeseen = memberships.filter(({ organizationId }) => !foreseenIds.has(organizationId));
  const owned = [...foreseenOwned, ...(await ownedOf(userId, unforeseen))];
  return { tokens, isDispensable: () => factorIsDispensable(userId, owned) };
}

async function ownedOf(userId: string, memberships: readonly Membership[]): Promise<OrganizationRecord[]> {
  const [organizations, members] = await Promise.all([
    readAll(memberships.map(({ orgSlug }) => at(organizationRecord, orgSlug))),
    readAll(memberships.map(({ orgSlug }) => at(memberRecord, orgSlug, userId))),
  ]);
  return organizations.flatMap((organization, index) => {
    const isSame = organization?.id === memberships[index]?.organizationId;
    return isSame && organization?.status === 'active' && members[index]?.role === 'owner' ? [organization] : [];
  });
}

/** As many as fit in the transaction with everything else. */
const maximumChecks = 80;

/** The checks that no organization needs its owner's last second factor. @throws last_owner */
async function factorIsDispensable(userId: string, owned: readonly OrganizationRecord[]): Promise<Write[]> {
  const checks = await Promise.all(owned.map(organization => ownerIsDispensable(organization, userId)));
  // Two organizations may have the same other owner, and a transaction can name an item only once.
  const byKey = new Map(checks.flat().map(write => [`${write.key.pk} ${write.key.sk}`, write]));
  if (byKey.size <= maximumChecks) return [...byKey.values()];
  throw new ApiError(
    'last_owner',
    'You own too many organizations to check whether each has another owner who can log in without its sign-in ' +
      'provider. Transfer some of them first.',
  );
}
