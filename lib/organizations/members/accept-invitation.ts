import { randomUUID } from 'node:crypto';
import type { AccountContext } from '../../access/request-context.ts';
import { mayInvite, type Role, roles } from '../../contracts/fields/role.ts';
import { ApiError } from '../../core/errors.ts';
import { hashCredential, readCredential } from '../../crypto/credentials.ts';
import { type Condition, equals, isNew } from '../../table/expressions.ts';
import { at, find, readTogether } from '../../table/read.ts';
import { invitationPointerRecord, invitationRecord, isPending } from '../../table/records/invitation.ts';
import { type MemberRecord, memberRecord, membershipRecord } from '../../table/records/member.ts';
import { type OrganizationRecord, organizationRecord } from '../../table/records/organization.ts';
import { check, put, remove, transact, update } from '../../table/write.ts';

type InvitationPointer = ReturnType<typeof invitationPointerRecord.parse>;

/** Where the token points to, read in parallel with authentication. A malformed token reads nothing. */
export async function findInvitation(token: string): Promise<InvitationPointer | undefined> {
  if (readCredential(token) === undefined) return undefined;
  return find(at(invitationPointerRecord, hashCredential(token)));
}

/**
 * Makes the caller, who holds the token, a member with the invitation's role, while its inviter is a member who could
 * still make it. The invitation was counted as a member
 * already, so no limit stands in the way; the token is used up with the same write.
 * @throws invalid_token where it is unknown, used, replaced, expired or its inviter may not invite any more; already_member
 */
export async function acceptInvitation(
  context: AccountContext,
  token: string,
  pointer: InvitationPointer | undefined,
): Promise<{ organization: OrganizationRecord; member: MemberRecord }> {
  if (pointer === undefined) throw invalidInvitation();
  const { orgSlug, organizationId, invitationId } = pointer;
  const { user } = context.principal;
  const hash = hashCredential(token);
  const { organization, invitation, existing } = await readTogether({
    organization: at(organizationRecord, orgSlug),
    invitation: at(invitationRecord, orgSlug, invitationId),
    existing: at(memberRecord, orgSlug, user.id),
  });
  if (organization?.id !== organizationId || organization.status !== 'active') throw invalidInvitation();
  if (existing !== undefined) throw alreadyMember();
  if (invitation?.hash !== hash) throw invalidInvitation();
  const inviter = at(memberRecord, orgSlug, invitation.invitedBy.id);
  if (!isPending(invitation, await find(inviter))) throw invalidInvitation();
  const member: MemberRecord = {
    id: randomUUID(),
    userId: user.id,
    email: user.email,
    name: user.name,
    role: invitation.role,
    joinedAt: new Date().toISOString(),
  };
  await transact([
    check(inviter, { if: rolesThatMayInvite(invitation.role), refused: invalidInvitation }),
    put(at(memberRecord, orgSlug, user.id), member, { if: isNew, refused: alreadyMember }),
    put(at(membershipRecord, user.id, organizationId), { organizationId, orgSlug }),
    remove(at(invitationRecord, orgSlug, invitationId), { if: { hash: equals(hash) }, refused: invalidInvitation }),
    remove(at(invitationPointerRecord, hash)),
    update(
      at(organizationRecord, orgSlug),
      { add: { memberCount: 1, invitationCount: -1, ownerCount: invitation.role === 'owner' ? 1 : 0 } },
      { if: { id: equals(organizationId), status: equals('active') }, refused: invalidInvitation },
    ),
    await context.auditIn(organization, {
      action: 'member.joined',
      target: { type: 'member', id: member.id, name: user.email },
      details: { role: member.role },
    }),
  ]);
  return { organization, member };
}

/** The inviter's role, as a condition: one of those that may invite as `invited`. */
function rolesThatMayInvite(invited: Role): Condition<MemberRecord>[] {
  return roles.filter(role => mayInvite(role, invited)).map(role => ({ role: equals(role) }));
}

const invalidInvitation = () =>
  new ApiError('invalid_token', 'This invitation is not valid: it is unknown, used, cancelled or expired.');

const alreadyMember = () => new ApiError('already_member', 'You are a member of this organization already.');
