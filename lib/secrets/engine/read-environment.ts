import { readWithProject } from '../../access/kept-access.ts';
import { matchesRevision, type Precondition } from '../../contracts/fields/preconditions.ts';
import type { EnvironmentPath } from '../../table/keys.ts';
import { find, type Reads } from '../../table/read.ts';
import type { EnvironmentState } from '../../table/records/environment.ts';
import type { ProjectKeys } from '../../table/records/project.ts';
import { stateAt } from './fencing.ts';

export interface EnvironmentRead {
  project?: ProjectKeys | undefined;
  state?: EnvironmentState | undefined;
}

/** The facts of an audit entry about secrets. */
export function environmentFacts(
  { id, slug }: Pick<ProjectKeys, 'id' | 'slug'>,
  state: Pick<EnvironmentState, 'id' | 'slug' | 'revision'>,
  revision = state.revision,
) {
  const target = { type: 'project', id, name: slug } as const;
  return { target, environment: { id: state.id, slug: state.slug }, revision };
}

/** One round trip, with other items. */
export async function readEnvironment<Others extends Reads = Record<never, never>>(
  path: EnvironmentPath,
  others?: Others,
) {
  const [records] = await readWithProject(path, { state: stateAt(path), ...(others as Others) });
  return records;
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
