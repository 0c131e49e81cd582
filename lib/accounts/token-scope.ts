import type { TokenAccess } from '../contracts/fields/token-access.ts';
import { ApiError, organizationNotFound, projectNotFound } from '../core/errors.ts';
import { equals } from '../table/expressions.ts';
import { ranges } from '../table/keys.ts';
import { at, find, list, readTogether } from '../table/read.ts';
import { environmentRecord } from '../table/records/environment.ts';
import { type MemberRecord, memberRecord, membershipRecord } from '../table/records/member.ts';
import { type OrganizationRecord, organizationRecord } from '../table/records/organization.ts';
import { projectRecord } from '../table/records/project.ts';
import { check, type Write } from '../table/write.ts';

/** The token that a request asks for. The contract has checked that a narrower limit comes with the wider one. */
export interface WantedToken {
  name: string;
  access: TokenAccess;
  organizationId?: string | undefined;
  projectId?: string | undefined;
  environmentId?: string | undefined;
  expiresInDays?: number | undefined;
}

/** The organization that a token is limited to, and the membership that it ends with. */
export interface TokenScope {
  organization: OrganizationRecord;
  member: MemberRecord;
}

/**
 * Finds what the token is limited to, as far as the user can see it; undefined if it has no limit. Two round trips.
 * @throws organization_not_found, project_not_found, environment_not_found
 */
export async function resolveTokenScope(userId: string, wanted: WantedToken): Promise<TokenScope | undefined> {
  const { organizationId, projectId, environmentId } = wanted;
  if (organizationId === undefined) return undefined;
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
    throw new ApiError('environment_not_found', 'There is no such environment in this project.');
  }
  return { organization, member };
}

/** Checks, in the transaction that makes the token, that the organization and the membership are still the same. */
export function scopeHolds(scope: {
  orgSlug: string;
  organizationId: string;
  userId: string;
  memberId: string;
}): Write[] {
  return [
    check(at(organizationRecord, scope.orgSlug), {
      if: { id: equals(scope.organizationId), status: equals('active') },
      refused: () => organizationNotFound(),
    }),
    check(at(memberRecord, scope.orgSlug, scope.userId), {
      if: { id: equals(scope.memberId) },
      refused: () => organizationNotFound(),
    }),
  ];
}
