import type { MemberContext } from '../../access/request-context.ts';
import { hasFreshRights, type Role } from '../../contracts/fields/role.ts';
import { ApiError } from '../../core/errors.ts';
import { asRead, greaterThan } from '../../table/expressions.ts';
import { at } from '../../table/read.ts';
import { type MemberRecord, memberRecord } from '../../table/records/organization.ts';
import { retryWithFreshRead, transact, update, type Write } from '../../table/write.ts';
import { ownerIsDispensable } from '../break-glass.ts';
import { changeCounts } from '../change-counts.ts';
import { type Roster, readRosterOf } from './read-roster.ts';

/**
 * Gives a member another role from their next request on. Writes nothing if the member already has the role.
 * @throws member_not_found, last_owner; step_up_required if either role has fresh rights
 */
export async function changeRole(
  context: MemberContext,
  { memberId, role }: { memberId: string; role: Role },
  foreseen: Roster,
): Promise<MemberRecord> {
  const { organization } = context;
  const readAgain = () => readRosterOf(organization);
  return retryWithFreshRead(foreseen, readAgain, async ({ members, organization: current }) => {
    const member = members.find(({ id }) => id === memberId);
    if (member === undefined) throw memberNotFound();
    context.requireFresh(hasFreshRights(role) || hasFreshRights(member.role));
    if (member.role === role) return member;
    const item = at(memberRecord, organization.slug, member.userId);
    await transact([
      ownerCountChange(organization, Number(role === 'owner') - Number(member.role === 'owner')),
      ...(member.role === 'owner' ? await ownerIsDispensable(current, member.userId) : []),
      update(item, { set: { role } }, { if: asRead(member, ['id', 'role']) }),
      await context.audit({
        action: 'member.role_changed',
        target: { type: 'member', id: memberId, name: member.email },
        details: { from: member.role, to: role },
      }),
    ]);
    return { ...member, role };
  });
}

/**
 * Changes the counts. One owner always remains, even when owners demote or remove each other concurrently: the
 * transaction then throws last_owner.
 */
export function ownerCountChange(
  organization: { id: string; slug: string },
  owners: number,
  others: { memberCount?: number; identityCount?: number } = {},
): Write {
  const oneRemains = {
    if: { ownerCount: greaterThan(1) },
    refused: () => new ApiError('last_owner', 'This is the last owner: make another member an owner first.'),
  };
  return changeCounts(organization, { ...others, ownerCount: owners }, owners < 0 ? oneRemains : undefined);
}

export const memberNotFound = () =>
  new ApiError('member_not_found', 'There is no such member or invitation in this organization.');
