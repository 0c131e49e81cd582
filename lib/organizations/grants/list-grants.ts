import { managesProject } from '../../access/managed-projects.ts';
import type { MemberContext } from '../../access/request-context.ts';
import type { Grant, GrantRequest } from '../../contracts/fields/grant.ts';
import { givesFreshRights } from '../../contracts/fields/project-role.ts';
import { ranges, rareRanges } from '../../table/keys.ts';
import { list } from '../../table/read.ts';
import { grantRequestRecord } from '../../table/records/grant-request.ts';
import { memberRecord } from '../../table/records/organization.ts';
import { findLiveGrants, findOpenRequests, grantView, requestView } from './show-grants.ts';

/** The caller's own grants and open requests, and those in the projects where the caller may give and refuse them. */
export async function listGrants({
  access,
  organization: { slug },
}: MemberContext): Promise<{ grants: Grant[]; requests: GrantRequest[] }> {
  const { id: ownId, userId } = access.member;
  const mayManage = givesFreshRights(access.membership);
  const [members, stored] = await Promise.all([
    mayManage ? list(memberRecord, ranges.members(slug)) : [access.membership],
    list(grantRequestRecord, mayManage ? rareRanges.grantRequests(slug) : rareRanges.grantRequestsOf(slug, userId)),
  ]);
  const isShown = ({ memberId, projectId }: { memberId: string; projectId: string }) =>
    memberId === ownId || managesProject(access, projectId);
  const [live, open] = await Promise.all([findLiveGrants(slug, members), findOpenRequests(slug, stored)]);
  const grants = members.flatMap((member, index) =>
    (live[index] ?? [])
      .filter(({ projectId }) => isShown({ memberId: member.id, projectId }))
      .map(grant => grantView(member, grant)),
  );
  const requests = open.filter(isShown).flatMap(request => {
    const member = members.find(({ id }) => id === request.memberId);
    return member === undefined ? [] : [requestView(member, request)];
  });
  return { grants: inOrder(grants), requests: inOrder(requests) };
}

/** Oldest first. */
function inOrder<T extends { id: string; createdAt: string }>(all: readonly T[]): T[] {
  return all.toSorted((a, b) => a.createdAt.localeCompare(b.createdAt) || a.id.localeCompare(b.id));
}
