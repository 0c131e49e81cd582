import { matchesRevision, type Precondition } from '../contracts/fields/preconditions.ts';
import { at, find } from '../table/read.ts';
import { type EnvironmentState, environmentStateRecord } from '../table/records/environment.ts';
import { type EnvironmentPath, partsOf } from './engine/environment-path.ts';

/** Either the secrets, or the state of an environment that the caller already has. */
export type ConditionalRead<Begun> = { unchanged: EnvironmentState } | { begun: Begun };

/**
 * Reads an environment, or its state alone if that is at a revision named by `If-None-Match`. An earlier revision never
 * changes, so a read of one ignores the header.
 */
export async function beginConditionalRead<Begun>(
  path: EnvironmentPath,
  { ifNoneMatch, revision }: { ifNoneMatch: Precondition | undefined; revision: number | undefined },
  begin: () => Promise<Begun>,
): Promise<ConditionalRead<Begun>> {
  if (revision !== undefined) return { begun: await begin() };
  if (ifNoneMatch !== undefined) {
    const state = await find(at(environmentStateRecord, ...partsOf(path)));
    if (state !== undefined && matchesRevision(ifNoneMatch, state.revision)) return { unchanged: state };
  }
  return { begun: await begin() };
}
