import type { MemberContext } from '../access/request-context.ts';
import type { Project } from '../contracts/projects.ts';
import { ranges } from '../table/keys.ts';
import { type EnvironmentRecord, environmentRecord } from '../table/records/environment.ts';
import { organizationPointerRecord } from '../table/records/organization.ts';
import { type ProjectRecord, projectRecord } from '../table/records/project.ts';
import { at, find, list } from '../table/store.ts';
import { viewProjects } from './project-view.ts';

/** What stands under a project's slugs: the project and the descriptions of its environments, read side by side. */
export interface FoundProject {
  orgSlug: string;
  project: ProjectRecord | undefined;
  environments: EnvironmentRecord[];
}

/** One wave. */
export async function findProject(orgSlug: string, slug: string): Promise<FoundProject> {
  const [project, environments] = await Promise.all([
    find(at(projectRecord, orgSlug, slug)),
    list(environmentRecord, ranges.projectEnvironments(orgSlug, slug)),
  ]);
  return { orgSlug, project, environments };
}

/** Two waves, in parallel with the two of authentication by an organization's id; undefined for an unknown id. */
export async function findProjectById(orgId: string, slug: string): Promise<FoundProject | undefined> {
  const pointer = await find(at(organizationPointerRecord, orgId));
  return pointer === undefined ? undefined : findProject(pointer.orgSlug, slug);
}

/** The organization's projects by slug, as far as the caller's token sees them. */
export async function listProjects({ access, organization }: MemberContext): Promise<Project[]> {
  const { slug } = organization;
  const [projects, environments] = await Promise.all([
    list(projectRecord, ranges.projects(slug)),
    list(environmentRecord, ranges.environments(slug)),
  ]);
  const shown = projects.filter(project => project.status === 'active' && access.seesProject(project));
  return viewProjects({ access, organization }, shown, environments);
}

/** @throws project_not_found */
export async function getProject({ access, organization }: MemberContext, slug: string): Promise<Project> {
  const { project: found, environments } = await findProject(organization.slug, slug);
  const project = access.requireProject(found);
  const [view] = await viewProjects({ access, organization }, [project], environments);
  return view as Project;
}
