import { actorOf } from '../access/principal.ts';
import type { AccountContext } from '../access/request-context.ts';
import { ApiError } from '../core/errors.ts';
import { settings } from '../core/settings.ts';
import { ranges } from '../table/keys.ts';
import { at, find, list, readAll } from '../table/read.ts';
import { memberRecord, membershipRecord } from '../table/records/member.ts';
import type { OrganizationRecord } from '../table/records/organization.ts';
import { countPlatform } from '../table/records/platform-count.ts';
import { isUnchanged, type UserRecord, userRecord } from '../table/records/user.ts';
import { retryWithFreshRead, transact, update } from '../table/write.ts';
import { newOrganization, withFreeSlug } from './new-organization.ts';

/**
 * Creates an organization that the caller owns, all or nothing. The limit is checked before the slug, because the
 * response reveals whether a slug is taken, and the limit restricts how often a caller can probe.
 * @throws organization_limit_reached; slug_taken for an explicit slug (a slug derived from the name gets a suffix
 * instead)
 */
export async function createOrganization(
  context: AccountContext,
  wanted: { name: string; slug?: string | undefined },
): Promise<OrganizationRecord> {
  const { id } = context.principal.user;
  const readAgain = () => find(at(userRecord, id));
  return retryWithFreshRead<UserRecord | undefined, OrganizationRecord>(
    context.principal.user,
    readAgain,
    async user => {
      if (user === undefined) throw new ApiError('unauthenticated', 'This account no longer exists.');
      const room = requireRoomForOrganization(id);
      return withFreeSlug(wanted, async slug => {
        const [made] = await Promise.all([
          newOrganization({ name: wanted.name, slug }, user, actorOf(context.principal), context.source),
          room,
        ]);
        const creation = update(at(userRecord, id), { add: { creations: 1 } }, { if: isUnchanged(user) });
        await transact([creation, ...made.writes, countPlatform({ organizations: 1 })]);
        return made.organization;
      });
    },
  );
}

/** Takes two round trips, or none if there is no limit. @throws organization_limit_reached */
async function requireRoomForOrganization(userId: string): Promise<void> {
  const limit = settings().ORGANIZATIONS_PER_USER;
  if (limit < 0) return;
  const memberships = await list(membershipRecord, ranges.memberships(userId));
  const members = await readAll(memberships.map(({ orgSlug }) => at(memberRecord, orgSlug, userId)));
  const owned = members.filter(member => member?.role === 'owner').length;
  if (owned < limit) return;
  throw new ApiError('organization_limit_reached', `You own ${owned} organizations; a user may own at most ${limit}.`);
}
