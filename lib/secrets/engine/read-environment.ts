import { matchesRevision, type Precondition } from '../../contracts/fields/preconditions.ts';
import type { EnvironmentPath } from '../../table/keys.ts';
import { at, find, readTogether } from '../../table/read.ts';
import type { EnvironmentState } from '../../table/records/environment.ts';
import { type ProjectRecord, projectRecord } from '../../table/records/project.ts';
import { stateAt } from './fencing.ts';

export interface EnvironmentRead {
  project?: ProjectRecord | undefined;
  state?: EnvironmentState | undefined;
}

export function environmentReads(path: EnvironmentPath) {
  return { project: at(projectRecord, path.orgSlug, path.project), state: stateAt(path) };
}

/** The facts of an audit entry about secrets. */
export function environmentFacts(
  { id, slug }: Pick<ProjectRecord, 'id' | 'slug'>,
  state: Pick<EnvironmentState, 'id' | 'slug' | 'revision'>,
  revision = state.revision,
) {
  const target = { type: 'project', id, name: slug } as const;
  return { target, environment: { id: state.id, slug: state.slug }, revision };
}

export function readEnvironment(path: EnvironmentPath): Promise<EnvironmentRead> {
  return readTogether(environmentReads(path));
}

export type ConditionalRead<Reads> = { unchanged: EnvironmentState } | { reads: Reads };

/**
 * Reads an environment, or only its state if `If-None-Match` names its revision. Past revisions never change, so reads
 * of them ignore the header.
 * @param begin starts the read, given the state if it was read for the header
 */
export async function beginConditionalRead<Reads>(
  path: EnvironmentPath,
  { ifNoneMatch, revision }: { ifNoneMatch: Precondition | undefined; revision: number | undefined },
  begin: (currentState: EnvironmentState | undefined) => Promise<Reads>,
): Promise<ConditionalRead<Reads>> {
  if (revision !== undefined || ifNoneMatch === undefined) return { reads: await begin(undefined) };
  const state = await find(stateAt(path));
  if (state !== undefined && matchesRevision(ifNoneMatch, state.revision)) return { unchanged: state };
  return { reads: await begin(state) };
}
