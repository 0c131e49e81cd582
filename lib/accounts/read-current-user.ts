import { freshUntilMs, hasProvedFactor } from '../access/fresh-session.ts';
import { confinementOf, onlyOrganizationOf, providerOf } from '../access/principal.ts';
import type { AccountContext } from '../access/request-context.ts';
import type { getCurrentUser as contract } from '../contracts/auth/get-current-user.ts';
import type { AnswerOf } from '../contracts/contract.ts';
import { ApiError } from '../core/errors.ts';
import { ranges } from '../table/keys.ts';
import { at, list, readAll } from '../table/read.ts';
import { memberRecord, membershipRecord } from '../table/records/member.ts';
import { organizationRecord } from '../table/records/organization.ts';
import { ownUserView, tokenView } from './account-views.ts';

/**
 * The caller, and the organizations visible to the credential, by name. A token is invalid once its membership has ended.
 * @throws unauthenticated
 */
export async function readCurrentUser({ principal }: AccountContext): Promise<AnswerOf<typeof contract>> {
  const { userId, user, credential } = principal;
  const token = credential.method === 'token' ? credential.token : undefined;
  const provider = providerOf(principal);
  const confinement = confinementOf(principal);
  const boundTo = onlyOrganizationOf(principal);
  const memberships = (await list(membershipRecord, ranges.memberships(userId))).filter(
    ({ organizationId }) => boundTo === undefined || organizationId === boundTo,
  );
  const [organizations, members] = await Promise.all([
    readAll(memberships.map(({ orgSlug }) => at(organizationRecord, orgSlug))),
    readAll(memberships.map(({ orgSlug }) => at(memberRecord, orgSlug, userId))),
  ]);
  const seen = memberships.flatMap(({ organizationId }, index) => {
    const organization = organizations[index];
    const member = members[index];
    if (organization?.id !== organizationId || organization.status !== 'active' || member === undefined) return [];
    if (token !== undefined && token.organizationId !== null && member.id !== token.memberId) return [];
    return [{ ...organization, role: member.role }];
  });
  if (boundTo !== undefined && token !== undefined && seen.length === 0) {
    throw new ApiError('unauthenticated', 'The membership that this token was created under has ended.');
  }
  const freshUntil = freshUntilMs(principal);
  return {
    user: ownUserView(user),
    organizations: seen.sort((a, b) => a.name.localeCompare(b.name) || a.slug.localeCompare(b.slug)),
    confinedTo: confinement === undefined ? null : { id: confinement.organizationId, slug: confinement.orgSlug },
    authentication: {
      ...(token === undefined ? { method: 'session' } : { method: 'token', token: tokenView(token) }),
      freshUntil: freshUntil === undefined ? null : new Date(freshUntil).toISOString(),
      secondFactor: hasProvedFactor(principal),
      ...(provider && { provider: { organizationId: provider.organizationId, orgSlug: provider.orgSlug } }),
    },
  };
}
