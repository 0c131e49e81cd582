import type { MemberContext } from '../access/request-context.ts';
import { environmentTypes } from '../contracts/fields/role.ts';
import type { Environment, Project } from '../contracts/projects/projects.ts';
import { type EnvironmentPath, ranges } from '../table/keys.ts';
import { at, find, list, readAll, readTogether } from '../table/read.ts';
import type { EnvironmentRecord, EnvironmentState } from '../table/records/environment.ts';
import { environmentRecord, environmentStateRecord } from '../table/records/environment.ts';
import { organizationPointerRecord } from '../table/records/organization.ts';
import { type ProjectRecord, projectRecord } from '../table/records/project.ts';
import { ConditionFailed } from '../table/write.ts';

/** An environment as the API shows it: its description combined with its state. Pure. */
export function environmentView(environment: EnvironmentRecord, state: EnvironmentState): Environment {
  const { id, slug, name, type, createdAt } = environment;
  const { revision, secretCount, approvals = 0 } = state;
  return { id, slug, name, type, revision, secretCount, approvals, createdAt };
}

/** A project as the API shows it. Pure. */
export function projectView(project: ProjectRecord, environments: Environment[]): Project {
  const { id, slug, name, description, keyVersion, rotation, createdAt } = project;
  return { id, slug, name, description, keyVersion, rotation, environments, createdAt };
}

/** From development to production, then oldest first: the order in which secrets are promoted. */
function inOrder(a: EnvironmentRecord, b: EnvironmentRecord): number {
  return (
    environmentTypes.indexOf(a.type) - environmentTypes.indexOf(b.type) ||
    a.createdAt.localeCompare(b.createdAt) ||
    a.slug.localeCompare(b.slug)
  );
}

/**
 * Projects with the environments that the caller's token can see. One round trip. An environment without a state is
 * being erased and is not shown.
 */
export async function viewProjects(
  { access, organization }: Pick<MemberContext, 'access' | 'organization'>,
  projects: readonly ProjectRecord[],
  environments: readonly EnvironmentRecord[],
): Promise<Project[]> {
  const shown = environments.filter(environment => access.seesEnvironment(environment)).toSorted(inOrder);
  const states = await readAll(
    shown.map(({ project, slug }) => at(environmentStateRecord, { orgSlug: organization.slug, project, env: slug })),
  );
  return projects.map(project => {
    const own = shown.flatMap((environment, index) => {
      const state = states[index];
      if (environment.projectId !== project.id || state?.id !== environment.id || state.status !== 'active') return [];
      return [environmentView(environment, state)];
    });
    return projectView(project, own);
  });
}

/** The project under a slug and the descriptions of its environments, read in parallel. */
export interface FoundProject {
  orgSlug: string;
  project: ProjectRecord | undefined;
  environments: EnvironmentRecord[];
}

/** One round trip. */
export async function findProject(orgSlug: string, slug: string): Promise<FoundProject> {
  const [project, environments] = await Promise.all([
    find(at(projectRecord, orgSlug, slug)),
    list(environmentRecord, ranges.projectEnvironments(orgSlug, slug)),
  ]);
  return { orgSlug, project, environments };
}

/** Two round trips, in parallel with the two of authentication by an organization's id; undefined for an unknown id. */
export async function findProjectById(orgId: string, slug: string): Promise<FoundProject | undefined> {
  const pointer = await find(at(organizationPointerRecord, orgId));
  return pointer === undefined ? undefined : findProject(pointer.orgSlug, slug);
}

/** The items under an environment's slugs. Each is read separately, so together they are not a snapshot. */
export interface FoundEnvironment {
  orgSlug: string;
  project?: ProjectRecord | undefined;
  environment?: EnvironmentRecord | undefined;
  state?: EnvironmentState | undefined;
}

/** One round trip. */
export async function findEnvironment({ orgSlug, project, env }: EnvironmentPath): Promise<FoundEnvironment> {
  const found = await readTogether({
    project: at(projectRecord, orgSlug, project),
    environment: at(environmentRecord, orgSlug, project, env),
    state: at(environmentStateRecord, { orgSlug, project, env }),
  });
  return { orgSlug, ...found };
}

/** Two round trips, in parallel with the two of authentication by an organization's id; undefined for an unknown id. */
export async function findEnvironmentById(orgId: string, project: string, env: string) {
  const pointer = await find(at(organizationPointerRecord, orgId));
  return pointer === undefined ? undefined : findEnvironment({ orgSlug: pointer.orgSlug, project, env });
}

/**
 * The environment that was read, if the caller may see it.
 * @throws project_not_found, environment_not_found; ConditionFailed if the items were read at different moments
 */
export function requireFound({ access }: MemberContext, { environment, ...reads }: FoundEnvironment) {
  const project = access.requireProject(reads.project);
  const state = access.requireEnvironment(reads.state, 'see');
  if (environment?.id !== state.id || environment.status !== 'active') throw new ConditionFailed([]);
  return { project, environment, state };
}

/** The organization's projects by slug, limited to those that the caller's token can see. */
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
  const reads = await findProject(organization.slug, slug);
  const project = access.requireProject(reads.project);
  const [view] = await viewProjects({ access, organization }, [project], reads.environments);
  return view as Project;
}
