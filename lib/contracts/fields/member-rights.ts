import { type EnvironmentType, hasFreshRights, outranks, roleMay, roles } from './role.ts';
import { type MemberRights, rightsInProject, roleInProject } from './role-in-project.ts';

/** Higher is weaker. Nobody has fewer rights than someone for whom the project doesn't exist. */
function rankIn(projectId: string, rights: MemberRights | undefined): number {
  const found = rights && roleInProject(rights, projectId);
  return found === undefined ? roles.length : roles.indexOf(found.role);
}

/** The projects in which the rights may differ from those in all others, and '' for all others. */
function projectsIn(...rights: readonly (MemberRights | undefined)[]): string[] {
  return ['', ...rights.flatMap(one => one?.projectRoles ?? []).map(({ projectId }) => projectId)];
}

/** Whether somebody may read or write the secrets of an environment now, by the role in its project or by a grant. */
export function memberMay(
  action: 'read' | 'write',
  member: MemberRights,
  { id, type, projectId }: { id: string; type: EnvironmentType; projectId: string },
): boolean {
  const { role, grants = [] } = rightsInProject(member, projectId, Date.now()) ?? {};
  if (role !== undefined && roleMay(action, role, type)) return true;
  return grants.some(grant => grant.environmentId === id && grant.access === action);
}

/** Whether an environment exists for somebody at a time, by their role in its project or by a grant. */
export function memberSees(
  member: MemberRights,
  { id, projectId }: { id: string; projectId: string },
  nowMs: number,
): boolean {
  const { role, grants = [] } = rightsInProject(member, projectId, nowMs) ?? {};
  return role !== undefined || grants.some(grant => grant.environmentId === id);
}

/** Whether somebody has an admin's rights in a project. */
export function managesProject(member: MemberRights, projectId: string): boolean {
  const role = roleInProject(member, projectId)?.role;
  return role !== undefined && hasFreshRights(role);
}

/** Whether `after` allows more than `before` in some project. `before` is undefined for somebody who isn't a member. */
export function gainsRights(before: MemberRights | undefined, after: MemberRights): boolean {
  return projectsIn(before, after).some(id => rankIn(id, after) < rankIn(id, before));
}

/** Nobody gives more in a project than they have there. */
export function mayGive(giver: MemberRights, after: MemberRights, before?: MemberRights): boolean {
  return projectsIn(giver, before, after).every(id => {
    const rank = rankIn(id, after);
    return rank >= rankIn(id, before) || rank >= rankIn(id, giver);
  });
}

/** Whether a member may invite someone: owners and admins may, up to their own role here and in each project. */
export function mayInvite(inviter: MemberRights, invited: MemberRights): boolean {
  const isManager = inviter.role === 'owner' || inviter.role === 'admin';
  return isManager && !outranks(invited.role, inviter.role) && mayGive(inviter, invited);
}
