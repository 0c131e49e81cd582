import { matchesRevision, type Precondition } from '../contracts/fields/preconditions.ts';
import { type EnvironmentState, environmentStateRecord } from '../table/records/environment.ts';
import { at, find } from '../table/store.ts';
import { type EnvironmentPath, partsOf } from './engine/environment-path.ts';
import { type BegunRead, beginRead } from './engine/read-live-secrets.ts';

/** Either the secrets, or the state of an environment that the caller already has. */
export type ConditionalRead = { unchanged: EnvironmentState } | { begun: BegunRead };

/**
 * Reads an environment, or its state alone if that is at a revision named by `If-None-Match`. An earlier revision never
 * changes, so there the header has no say.
 */
export async function beginConditionalRead(
  path: EnvironmentPath,
  ifNoneMatch: Precondition | undefined,
  revision?: number,
): Promise<ConditionalRead> {
  if (revision !== undefined) return { begun: await beginRead(path, [revision]) };
  if (ifNoneMatch !== undefined) {
    const state = await find(at(environmentStateRecord, ...partsOf(path)));
    if (state !== undefined && matchesRevision(ifNoneMatch, state.revision)) return { unchanged: state };
  }
  return { begun: await beginRead(path) };
}
