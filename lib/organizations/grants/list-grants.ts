import { managesProject } from '../../access/managed-projects.ts';
import type { MemberContext } from '../../access/request-context.ts';
import type { Grant, GrantRequest } from '../../contracts/fields/grant.ts';
import { givesFreshRights } from '../../contracts/fields/project-role.ts';
import { ranges, rareRanges } from '../../table/keys.ts';
import { list } from '../../table/read.ts';
import { grantRequestRecord } from '../../table/records/grant-request.ts';
import { memberRecord } from '../../table/records/organization.ts';
import { findOpenRequests, requestView, showGrants } from './show-grants.ts';

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
  const isShown = (memberId: string, projectId: string) => memberId === ownId || managesProject(access, projectId);
  // Before anything is read about them, so that the response takes as long whatever there is in other projects.
  const shown = members.map(({ id, email, grants = [] }) => ({
    id,
    email,
    grants: grants.filter(({ projectId }) => isShown(id, projectId)),
  }));
  const [grants, open] = await Promise.all([
    showGrants(slug, shown),
    findOpenRequests(
      slug,
      stored.filter(({ memberId, projectId }) => isShown(memberId, projectId)),
    ),
  ]);
  const requests = open.flatMap(request => {
    const member = members.find(({ id }) => id === request.memberId);
    return member === undefined ? [] : [requestView(member, request)];
  });
  return { grants: inOrder(grants.flat()), requests: inOrder(requests) };
}

/** Oldest first. */
function inOrder<T extends { id: string; createdAt: string }>(all: readonly T[]): T[] {
  return all.toSorted((a, b) => a.createdAt.localeCompare(b.createdAt) || a.id.localeCompare(b.id));
}
