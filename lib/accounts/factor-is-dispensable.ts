import { ApiError } from '../core/errors.ts';
import { ownerIsDispensable } from '../organizations/break-glass.ts';
import { ranges } from '../table/keys.ts';
import { at, list, readAll } from '../table/read.ts';
import { memberRecord, membershipRecord } from '../table/records/member.ts';
import { organizationRecord } from '../table/records/organization.ts';
import type { Write } from '../table/write.ts';

/** They fit in the transaction with everything else. */
const maximumChecks = 80;

/**
 * The checks that none of the user's organizations needs the user's last second factor, for the transaction that removes
 * it.
 * @throws last_owner
 */
export async function factorIsDispensable(userId: string): Promise<Write[]> {
  const memberships = await list(membershipRecord, ranges.memberships(userId));
  const [organizations, members] = await Promise.all([
    readAll(memberships.map(({ orgSlug }) => at(organizationRecord, orgSlug))),
    readAll(memberships.map(({ orgSlug }) => at(memberRecord, orgSlug, userId))),
  ]);
  const owned = organizations.flatMap((one, index) => {
    const isSame = one?.id === memberships[index]?.organizationId && one?.status === 'active';
    return one !== undefined && isSame && members[index]?.role === 'owner' ? [one] : [];
  });
  const checks = await Promise.all(owned.map(one => ownerIsDispensable(one, userId)));
  // Two organizations may have the same other owner, and a transaction can name an item only once.
  const byKey = new Map(checks.flat().map(write => [`${write.key.pk} ${write.key.sk}`, write]));
  if (byKey.size > maximumChecks) throw tooManyOrganizations();
  return [...byKey.values()];
}

/** A check that was left out could leave an organization without anybody who can get in. */
const tooManyOrganizations = () =>
  new ApiError(
    'last_owner',
    'You own too many organizations to check at once that each has another owner who can get in without its sign-in ' +
      'provider. Hand some of them over first.',
  );
