import type { AccountContext } from '../access/request-context.ts';
import { isThere } from '../table/expressions.ts';
import { ranges } from '../table/keys.ts';
import { at, list } from '../table/read.ts';
import { memberRecord, membershipRecord } from '../table/records/member.ts';
import { type UserRecord, userRecord } from '../table/records/user.ts';
import { transact, transactIfHolds, update } from '../table/write.ts';

/**
 * Changes the user's display name and the copies that member lists show. Each organization's copy is written
 * separately; sending the same name again completes an interrupted change.
 */
export async function renameUser({ principal: { user } }: AccountContext, name: string): Promise<UserRecord> {
  const memberships = await list(membershipRecord, ranges.memberships(user.id));
  const renaming = { set: { name } };
  await Promise.all([
    transact([update(at(userRecord, user.id), renaming, { if: isThere })]),
    ...memberships.map(({ orgSlug }) =>
      transactIfHolds([update(at(memberRecord, orgSlug, user.id), renaming, { if: isThere })]),
    ),
  ]);
  return { ...user, name };
}
