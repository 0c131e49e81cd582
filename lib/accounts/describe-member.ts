import type { MemberContext } from '../access/request-context.ts';
import type { AnswerOf } from '../contracts/contract.ts';
import { managers } from '../contracts/fields/role.ts';
import type { getMember as contract } from '../contracts/members/get-member.ts';
import { ApiError } from '../core/errors.ts';
import { memberNotFound } from '../organizations/members/change-members.ts';
import { listAllIdentities } from '../organizations/members/made-by-member.ts';
import { viewMember } from '../organizations/members/project-roles.ts';
import type { Roster } from '../organizations/members/read-roster.ts';
import { ranges } from '../table/keys.ts';
import { list } from '../table/read.ts';
import { sessionRecord, type TokenRecord, type ViaProvider } from '../table/records/credentials.ts';
import type { MemberRecord } from '../table/records/organization.ts';
import { tokenView } from './current-user.ts';
import { listTokens } from './tokens.ts';

/**
 * A member with the credentials that act for them in the organization. What they hold elsewhere stays theirs.
 * @throws forbidden for another member's, unless the caller is an owner or admin; member_not_found
 */
export async function describeMember(
  { organization, access }: MemberContext,
  memberId: string,
  { members }: Roster,
): Promise<AnswerOf<typeof contract>> {
  const isManager = managers.some(role => role === access.membership.role);
  // Before the look-up: a limited member must not find out who else is a member.
  if (!isManager && memberId !== access.member.id) {
    throw new ApiError('forbidden', 'Only owners and admins can see what another member holds.');
  }
  const member = members.find(({ id }) => id === memberId);
  if (member === undefined) throw memberNotFound();
  const { id: organizationId, slug } = organization;
  const [view, tokens, sessions, identities] = await Promise.all([
    viewMember(slug, member),
    listTokens(member.userId),
    list(sessionRecord, ranges.sessions(member.userId)),
    isManager ? listAllIdentities(organization) : undefined,
  ]);
  const reaching = sessions.filter(({ provider }) => reaches(organizationId, provider));
  const signIns = [...reaching.map(({ createdAt }) => createdAt), member.providerSignInAt ?? ''];
  const made = identities?.filter(one => one.organizationId === organizationId && one.createdBy?.id === member.userId);
  return {
    member: view,
    lastSignInAt: signIns.toSorted().at(-1) || null,
    tokens: tokens.filter(token => actsFor(member, organizationId, token)).map(tokenView),
    identities: made?.toSorted((a, b) => a.createdAt.localeCompare(b.createdAt)) ?? null,
  };
}

/** A token that is limited to the organization ends with the membership that it was created under. */
function actsFor(member: MemberRecord, organizationId: string, token: TokenRecord): boolean {
  if (token.organizationId === null) return reaches(organizationId, token.provider);
  return token.organizationId === organizationId && token.memberId === member.id;
}

/** Whether a credential that came through a company's provider is not confined to another organization. */
function reaches(organizationId: string, provider: Pick<ViaProvider, 'organizationId' | 'lifted'> | undefined) {
  return provider === undefined || provider.lifted === true || provider.organizationId === organizationId;
}
