import { hasFreshRights } from '../contracts/fields/role.ts';
import { roleInProject } from '../contracts/fields/role-in-project.ts';
import { ApiError, projectNotFound } from '../core/errors.ts';
import { at, readAll } from '../table/read.ts';
import { projectKeysRecord } from '../table/records/project.ts';
import type { MemberAccess } from './member-access.ts';

/**
 * The projects whose admin the caller is, for routes that a project's admin may use for it; `all` if the role in the
 * organization suffices, which needs no read. A role in a deleted project gives nothing.
 */
export async function managedProjects(access: MemberAccess): Promise<'all' | ReadonlySet<string>> {
  const managed = access.managed();
  if (managed === 'all') return managed;
  const projects = await readAll(managed.map(({ slug }) => at(projectKeysRecord, access.organization.slug, slug)));
  const existing = managed.filter(({ projectId }, index) => {
    const project = projects[index];
    return project?.id === projectId && project.status === 'active' && access.seesProject(project);
  });
  return new Set(existing.map(({ projectId }) => projectId));
}

/** Whether the caller is an admin of the project, or an owner or admin of the organization who is no less there. */
export function managesProject(access: MemberAccess, projectId: string): boolean {
  // Says that the handler has asked.
  access.managed();
  const found = access.principal.identity === undefined ? roleInProject(access.membership, projectId) : undefined;
  return found !== undefined && hasFreshRights(found.role);
}

/**
 * @param projectId null for what concerns more than one project
 * @throws forbidden, project_not_found
 */
export async function requireManaged(access: MemberAccess, projectId: string | null): Promise<void> {
  const managed = await managedProjects(access);
  if (managed === 'all' || (projectId !== null && managed.has(projectId))) return;
  const { id: organizationId } = access.organization;
  if (projectId !== null && !access.seesProject({ id: projectId, organizationId })) throw projectNotFound();
  throw new ApiError('forbidden', 'An admin of single projects can do this only for one of these projects.');
}
