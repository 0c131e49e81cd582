import { randomUUID } from 'node:crypto';
import { sessionConfined, sessionRequired } from '../../access/authorize.ts';
import { onlyOrganizationOf } from '../../access/principal.ts';
import type { AccountContext } from '../../access/request-context.ts';
import { mayInvite, type Role, roles } from '../../contracts/fields/role.ts';
import { ApiError } from '../../core/errors.ts';
import { hashCredential, readCredential } from '../../crypto/credentials.ts';
import { type Condition, equals, isNew } from '../../table/expressions.ts';
import { at, find, readTogether } from '../../table/read.ts';
import { invitationPointerRecord, invitationRecord, isPending } from '../../table/records/invitation.ts';
import { type MemberRecord, memberRecord, membershipRecord, removedMemberRecord } from '../../table/records/member.ts';
import { type OrganizationRecord, organizationRecord } from '../../table/records/organization.ts';
import { check, put, remove, transact } from '../../table/write.ts';
import { changeCounts } from '../change-counts.ts';

type InvitationPointer = ReturnType<typeof invitationPointerRecord.parse>;

/** What the token points to, read in parallel with authentication. Reads nothing for a malformed token. */
export async function findInvitation(token: string): Promise<InvitationPointer | undefined> {
  if (readCredential(token) === undefined) return undefined;
  return find(at(invitationPointerRecord, hashCredential(token)));
}

/**
 * Makes the caller, who holds the token, a member with the invitation's role, if the inviter is a member who could
 * still send this invitation. Invitations already count towards the member limit, so it isn't checked here. The same
 * transaction uses up the token.
 * Somebody who was a member before comes back only by their own consent, in a session of their own credential: a token or
 * a confined session doesn't accept it for them. A confined session accepts an invitation to its provider's organization
 * only.
 * @throws session_confined, insufficient_scope; invalid_token if it is unknown, used, replaced, expired or its inviter may no longer invite; already_member
 */
export async function acceptInvitation(
  context: AccountContext,
  token: string,
  pointer: InvitationPointer | undefined,
): Promise<{ organization: OrganizationRecord; member: MemberRecord }> {
  if (pointer === undefined) throw invalidInvitation();
  const { orgSlug, organizationId, invitationId } = pointer;
  const { user, credential } = context.principal;
  const hash = hashCredential(token);
  const boundTo = onlyOrganizationOf(context.principal);
  const { organization, invitation, existing, removed } = await readTogether({
    organization: at(organizationRecord, orgSlug),
    invitation: at(invitationRecord, orgSlug, invitationId),
    existing: at(memberRecord, orgSlug, user.id),
    removed:
      boundTo === undefined && credential.method === 'session' ? undefined : at(removedMemberRecord, orgSlug, user.id),
  });
  const wasMember = removed?.organizationId === organizationId;
  // The provider could otherwise bring its organization's people elsewhere, or back.
  if (boundTo !== undefined && (boundTo !== organizationId || wasMember)) throw sessionConfined();
  if (wasMember) throw sessionRequired();
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
  const counts = { memberCount: 1, invitationCount: -1, ownerCount: invitation.role === 'owner' ? 1 : 0 };
  await transact([
    check(inviter, { if: rolesThatMayInvite(invitation.role), refused: invalidInvitation }),
    put(at(memberRecord, orgSlug, user.id), member, { if: isNew, refused: alreadyMember }),
    put(at(membershipRecord, user.id, organizationId), { organizationId, orgSlug }),
    remove(at(invitationRecord, orgSlug, invitationId), { if: { hash: equals(hash) }, refused: invalidInvitation }),
    remove(at(invitationPointerRecord, hash)),
    { ...changeCounts(organization, counts), refused: invalidInvitation },
    await context.auditIn(organization, {
      action: 'member.joined',
      target: { type: 'member', id: member.id, name: user.email },
      details: { role: member.role },
    }),
  ]);
  return { organization, member };
}

/** The condition that the inviter's role may invite members with the role `invited`. */
export function rolesThatMayInvite(invited: Role): Condition<MemberRecord>[] {
  return roles.filter(role => mayInvite(role, invited)).map(role => ({ role: equals(role) }));
}

const invalidInvitation = () =>
  new ApiError('invalid_token', 'This invitation is not valid: it is unknown, used, cancelled or expired.');

const alreadyMember = () => new ApiError('already_member', 'You are already a member of this organization.');
