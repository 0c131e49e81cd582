import type { MemberContext } from '../access/request-context.ts';
import { type EnvironmentType, environmentTypes } from '../contracts/fields/environment-type.ts';
import type { Environment } from '../contracts/projects/environment.ts';
import type { Project } from '../contracts/projects/project.ts';
import { at, readAll } from '../table/read.ts';
import type { EnvironmentRecord } from '../table/records/environment.ts';
import { type EnvironmentState, environmentStateRecord } from '../table/records/environment.ts';
import type { ProjectRecord } from '../table/records/project.ts';

/** An environment as the API shows it: its description combined with its state. Pure. */
export function environmentView(environment: EnvironmentRecord, state: EnvironmentState): Environment {
  const { id, slug, name, type, createdAt } = environment;
  return { id, slug, name, type, revision: state.revision, secretCount: state.secretCount, createdAt };
}

/** From development to production, then oldest first: the order in which secrets are promoted. */
function inOrder(a: { type: EnvironmentType } & EnvironmentRecord, b: EnvironmentRecord): number {
  return (
    environmentTypes.indexOf(a.type) - environmentTypes.indexOf(b.type) ||
    a.createdAt.localeCompare(b.createdAt) ||
    a.slug.localeCompare(b.slug)
  );
}

/**
 * Projects as the API shows them, with the environments that the caller's token can see. One round trip, for the states
 * of all environments. An environment without a state is being erased, and not shown.
 */
export async function viewProjects(
  { access, organization }: Pick<MemberContext, 'access' | 'organization'>,
  projects: readonly ProjectRecord[],
  environments: readonly EnvironmentRecord[],
): Promise<Project[]> {
  const shown = environments.filter(environment => access.seesEnvironment(environment)).toSorted(inOrder);
  const states = await readAll(
    shown.map(({ project, slug }) => at(environmentStateRecord, organization.slug, project, slug)),
  );
  return projects.map(({ id, slug, name, description, keyVersion, rotation, createdAt }) => ({
    id,
    slug,
    name,
    description,
    keyVersion,
    rotation,
    environments: shown.flatMap((environment, index) => {
      const state = states[index];
      const isItsOwn = environment.projectId === id && state !== undefined && state.id === environment.id;
      return isItsOwn && state.status === 'active' ? [environmentView(environment, state)] : [];
    }),
    createdAt,
  }));
}
