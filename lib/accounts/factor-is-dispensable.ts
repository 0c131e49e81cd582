import { ownerIsDispensable } from '../organizations/break-glass.ts';
import { ranges } from '../table/keys.ts';
import { at, list, readAll } from '../table/read.ts';
import { memberRecord, membershipRecord } from '../table/records/member.ts';
import { organizationRecord } from '../table/records/organization.ts';
import type { Write } from '../table/write.ts';

/** More organizations than anybody owns; their checks fit in the transaction with everything else. */
const maximumChecks = 40;

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
  const owned = organizations.filter(
    (one, index) =>
      one?.id === memberships[index]?.organizationId && one?.status === 'active' && members[index]?.role === 'owner',
  );
  const checks = await Promise.all(owned.map(one => (one === undefined ? [] : ownerIsDispensable(one, userId))));
  // Two organizations may have the same other owner, and a transaction can name an item only once.
  const byKey = new Map(checks.flat().map(write => [`${write.key.pk} ${write.key.sk}`, write]));
  return [...byKey.values()].slice(0, maximumChecks);
}
