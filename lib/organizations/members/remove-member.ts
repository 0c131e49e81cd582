import type { MemberContext } from '../../access/request-context.ts';
import { outranks } from '../../contracts/fields/role.ts';
import { ApiError, organizationNotFound } from '../../core/errors.ts';
import type { Log } from '../../core/logger.ts';
import type { Key } from '../../table/entity.ts';
import { equals } from '../../table/expressions.ts';
import { ranges } from '../../table/keys.ts';
import { at, list, queryPage } from '../../table/read.ts';
import type { InvitationRecord } from '../../table/records/invitation.ts';
import { type MemberRecord, memberRecord, membershipRecord } from '../../table/records/member.ts';
import { organizationRecord } from '../../table/records/organization.ts';
import { type TokenRecord, tokenRecord } from '../../table/records/token.ts';
import type { RetryBudget } from '../../table/retry.ts';
import { remove, removeAll, retryWithFreshRead, transact, update } from '../../table/write.ts';
import { memberNotFound, ownerCountChange } from './change-role.ts';
import { invitationRemoval } from './invite-member.ts';
import { type Roster, readRosterOf } from './read-roster.ts';

/**
 * Removes a member, or cancels the invitation of that id. A removal takes effect in one transaction whose size does not
 * depend on what the member has: the tokens bound to the organization name the membership, and die with it for good.
 * @throws member_not_found, forbidden for an admin who would remove an owner, last_owner
 */
export async function removeMember(context: MemberContext, id: string, before: Roster): Promise<void> {
  const readAgain = () => readRosterOf(context.organization);
  await retryWithFreshRead(before, readAgain, async (roster, budget) => {
    const member = roster.members.find(one => one.id === id);
    if (member !== undefined) return endMembership(context, member, budget);
    const invitation = roster.invitations.find(one => one.id === id);
    if (invitation === undefined) throw memberNotFound();
    return cancelInvitation(context, invitation, budget);
  });
}

async function endMembership(context: MemberContext, member: MemberRecord, budget: RetryBudget): Promise<void> {
  const { organization, access } = context;
  if (outranks(member.role, access.member.role)) {
    throw new ApiError(
      'forbidden',
      `The role ${access.member.role} may not remove a member with the role ${member.role}.`,
    );
  }
  const [dead] = await Promise.all([
    keysOfTokensBoundTo(member),
    transact(
      [
        ownerCountChange(organization, member.role === 'owner' ? -1 : 0, { memberCount: -1 }),
        remove(at(memberRecord, organization.slug, member.userId), {
          if: { id: equals(member.id), role: equals(member.role) },
        }),
        remove(at(membershipRecord, member.userId, organization.id)),
        await context.audit({
          action: 'member.removed',
          target: { type: 'member', id: member.id, name: member.email },
          details: { role: member.role },
        }),
      ],
      budget,
    ),
  ]);
  await sweep(dead, context.log);
}

/** A user's tokens that are limited to an organization. */
export async function tokensBoundTo(organizationId: string, userId: string): Promise<TokenRecord[]> {
  const tokens = await list(tokenRecord, ranges.tokens(userId));
  return tokens.filter(token => token.organizationId === organizationId);
}

/**
 * The keys of tokens that were made under the membership, in the first megabyte of the user's tokens; reading more must not
 * delay a removal. Who joins again has another membership.
 */
async function keysOfTokensBoundTo({ id, userId }: MemberRecord): Promise<Key[]> {
  const { items } = await queryPage({ ...ranges.tokens(userId), attributes: ['pk', 'sk', 'memberId'] });
  return items.filter(item => item.memberId === id) as unknown as Key[];
}

/** Removes dead tokens from their user's list. Nothing depends on it, so a failure is only logged. */
async function sweep(tokens: readonly Key[], log: Log): Promise<void> {
  try {
    await removeAll(tokens);
  } catch (error) {
    log.error('could not sweep the tokens of a removed member', error);
  }
}

async function cancelInvitation(
  context: MemberContext,
  invitation: InvitationRecord,
  budget: RetryBudget,
): Promise<void> {
  const { organization } = context;
  await transact(
    [
      update(
        at(organizationRecord, organization.slug),
        { add: { invitationCount: -1 } },
        {
          if: { id: equals(organization.id), status: equals('active') },
          refused: () => organizationNotFound(),
        },
      ),
      ...invitationRemoval(organization.slug, invitation),
      await context.audit({
        action: 'member.invitation_cancelled',
        target: { type: 'invitation', id: invitation.id, name: invitation.email },
      }),
    ],
    budget,
  );
}
