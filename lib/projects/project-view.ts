import { type EnvironmentType, environmentTypes } from '../environments/environment-type.ts';
import { type EnvironmentState, environmentStateRecord } from '../environments/records.ts';
import type { MemberAccess } from '../http/access.ts';
import { at, readAll } from '../table/store.ts';
import type { Environment, Project } from './contracts.ts';
import type { EnvironmentRecord, ProjectRecord } from './records.ts';

/** An environment as the API shows it: its description and what its state says. Pure. */
export function environmentView(environment: EnvironmentRecord, state: EnvironmentState): Environment {
  const { id, slug, name, type, createdAt } = environment;
  return { id, slug, name, type, revision: state.revision, secretCount: state.secretCount, createdAt };
}

/** From development to production, older first: the order in which values travel. */
function inOrder(a: { type: EnvironmentType } & EnvironmentRecord, b: EnvironmentRecord): number {
  return (
    environmentTypes.indexOf(a.type) - environmentTypes.indexOf(b.type) ||
    a.createdAt.localeCompare(b.createdAt) ||
    a.slug.localeCompare(b.slug)
  );
}

/**
 * Projects as the API shows them, with the environments that the caller's token may see. One wave: the states of all
 * environments. An environment whose state is gone is being erased, and not shown.
 */
export async function viewProjects(
  access: MemberAccess,
  projects: readonly ProjectRecord[],
  environments: readonly EnvironmentRecord[],
): Promise<Project[]> {
  const shown = environments.filter(environment => access.seesEnvironment(environment)).toSorted(inOrder);
  const states = await readAll(
    shown.map(({ project, slug }) => at(environmentStateRecord, access.organization.slug, project, slug)),
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
