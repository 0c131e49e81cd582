import { actorOf } from '../access/audit-write.ts';
import type { AccountContext } from '../access/request-context.ts';
import type { OrganizationRecord } from '../table/records/organization.ts';
import { countPlatform } from '../table/records/platform-count.ts';
import { transact } from '../table/store.ts';
import { newOrganization, withFreeSlug } from './new-organization.ts';

/**
 * Creates an organization that the caller owns, all or nothing.
 * @throws slug_taken for an explicit slug (one made from the name gets a suffix instead)
 */
export async function createOrganization(
  context: AccountContext,
  wanted: { name: string; slug?: string | undefined },
): Promise<OrganizationRecord> {
  return withFreeSlug(wanted, async slug => {
    const made = await newOrganization(
      { name: wanted.name, slug },
      context.principal.user,
      actorOf(context.principal),
      context.source,
    );
    await transact([...made.writes, countPlatform({ organizations: 1 })]);
    return made.organization;
  });
}
