import { sessionConfined } from '../access/authorize.ts';
import { hasOwnFactorProved } from '../access/fresh-session.ts';
import { type AccountPrincipal, onlyOrganizationOf, providerOf } from '../access/principal.ts';
import type { createToken as contract } from '../contracts/auth/create-token.ts';
import type { BodyOf } from '../contracts/contract.ts';
import { environmentNotFound, organizationNotFound, projectNotFound } from '../core/errors.ts';
import { stillActive } from '../organizations/change-counts.ts';
import { equals } from '../table/expressions.ts';
import { ranges } from '../table/keys.ts';
import { at, find, list, readTogether } from '../table/read.ts';
import { environmentRecord } from '../table/records/environment.ts';
import { memberRecord, membershipRecord } from '../table/records/member.ts';
import { type OrganizationRecord, organizationRecord } from '../table/records/organization.ts';
import { projectRecord } from '../table/records/project.ts';
import { check, type Write } from '../table/write.ts';
import type { TokenFacts } from './new-token.ts';

/** The token that a request asks for. The contract has checked that a narrower limit comes with the wider one. */
export type WantedToken = BodyOf<typeof contract>;

export interface ResolvedToken {
  facts: TokenFacts & { expiresInDays: number | null };
  /** The organization that the token is limited to. */
  organization: OrganizationRecord | undefined;
}

/**
 * Looks up the organization, project and environment that the token is limited to, if the user can see them. Takes two
 * round trips, or none for a token without limits.
 * @throws session_confined if the session is confined and the token would have no limit; organization_not_found, project_not_found,
 * environment_not_found
 */
export async function resolveToken(principal: AccountPrincipal, wanted: WantedToken): Promise<ResolvedToken> {
  const { name, access, projectId = null, environmentId = null, expiresInDays = null } = wanted;
  const boundTo = onlyOrganizationOf(principal);
  if (boundTo !== undefined && wanted.organizationId === undefined) throw sessionConfined();
  if (boundTo !== undefined && wanted.organizationId !== boundTo) throw organizationNotFound();
  const { organization, member } = await resolveScope(principal.userId, wanted);
  const organizationId = organization?.id ?? null;
  const memberId = member?.id ?? null;
  const secondFactor = hasOwnFactorProved(principal);
  const facts = {
    name,
    access,
    organizationId,
    projectId,
    environmentId,
    memberId,
    expiresInDays,
    secondFactor,
    provider: providerOf(principal),
  };
  return { facts, organization };
}

async function resolveScope(userId: string, { organizationId, projectId, environmentId }: WantedToken) {
  if (organizationId === undefined) return {};
  const membership = await find(at(membershipRecord, userId, organizationId));
  if (membership === undefined) throw organizationNotFound();
  const { orgSlug } = membership;
  const [{ organization, member }, projects, environments] = await Promise.all([
    readTogether({ organization: at(organizationRecord, orgSlug), member: at(memberRecord, orgSlug, userId) }),
    projectId === undefined ? [] : list(projectRecord, ranges.projects(orgSlug)),
    environmentId === undefined ? [] : list(environmentRecord, ranges.environments(orgSlug)),
  ]);
  if (organization?.id !== organizationId || organization.status !== 'active' || member === undefined) {
    throw organizationNotFound();
  }
  if (projectId !== undefined && !projects.some(({ id, status }) => id === projectId && status === 'active')) {
    throw projectNotFound();
  }
  if (
    environmentId !== undefined &&
    !environments.some(one => one.id === environmentId && one.projectId === projectId && one.status === 'active')
  ) {
    throw environmentNotFound();
  }
  return { organization, member };
}

/** Checks, in the transaction that creates the token, that the organization and the membership are still the same. */
export function scopeHolds(
  orgSlug: string,
  userId: string,
  { organizationId, memberId }: Pick<TokenFacts, 'organizationId' | 'memberId'>,
): Write[] {
  const refused = () => organizationNotFound();
  return [
    stillActive({ id: organizationId ?? '', slug: orgSlug }, refused),
    check(at(memberRecord, orgSlug, userId), { if: { id: equals(memberId ?? '') }, refused }),
  ];
}
