import type { MemberContext } from '../access/request-context.ts';
import { environmentTypes } from '../contracts/fields/environment-type.ts';
import type { Environment, Project } from '../contracts/projects/project.ts';
import { at, readAll } from '../table/read.ts';
import { type EnvironmentRecord, type EnvironmentState, environmentStateRecord } from '../table/records/environment.ts';
import type { ProjectRecord } from '../table/records/project.ts';

/** An environment as the API shows it: its description combined with its state. Pure. */
export function environmentView(environment: EnvironmentRecord, state: EnvironmentState): Environment {
  const { id, slug, name, type, createdAt } = environment;
  return { id, slug, name, type, revision: state.revision, secretCount: state.secretCount, createdAt };
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
 * Projects with the environments that the caller's token can see. One round trip, for the states of all environments. An
 * environment without a state is being erased and is not shown.
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
