import type { MemberContext } from '../access/request-context.ts';
import type { Project } from '../contracts/projects.ts';
import { ranges } from '../table/keys.ts';
import { environmentRecord } from '../table/records/environment.ts';
import { projectRecord } from '../table/records/project.ts';
import { at, find, list } from '../table/store.ts';
import { viewProjects } from './project-view.ts';

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
  const orgSlug = organization.slug;
  const [found, environments] = await Promise.all([
    find(at(projectRecord, orgSlug, slug)),
    list(environmentRecord, ranges.projectEnvironments(orgSlug, slug)),
  ]);
  const project = access.requireProject(found);
  const [view] = await viewProjects({ access, organization }, [project], environments);
  return view as Project;
}
