import { ApiError } from '../../core/errors.ts';
import type { EnvironmentPath } from '../../table/keys.ts';
import type { EnvironmentState } from '../../table/records/environment.ts';
import type { HeadRecord } from '../../table/records/secret.ts';
import type { Snapshot } from './kept-snapshots.ts';
import { headsBefore } from './read-snapshot.ts';
import { type RecordedChange, readChangesFrom } from './revision-log.ts';
import { StaleRead } from './stale-read.ts';

/** @throws revision_not_found for a future revision, or one of an earlier environment with these slugs */
export function requireRevision(
  { revision: current, firstRevision }: Pick<EnvironmentState, 'revision' | 'firstRevision'>,
  revision: number,
): void {
  // Revision 0 is empty in every environment, so any revision can be compared with an empty environment.
  if (revision === 0 || (revision >= firstRevision && revision <= current)) return;
  throw new ApiError('revision_not_found', `The environment has no revision ${revision}; it is at ${current}.`);
}

/** A read of an earlier revision reads the record of each later change: some 500 bytes for a change of one key. */
export const maximumChangesSince = 20_000;

/** The recorded changes from a revision on, as far as they are needed to read it. */
export function readChangesSince(path: EnvironmentPath, revision: number): Promise<RecordedChange[]> {
  return readChangesFrom(path, revision, revision + maximumChangesSince);
}

/** @throws payload_too_large */
function requireNear({ revision: current }: Pick<EnvironmentState, 'revision'>, revision: number): void {
  const changeCount = current - revision;
  if (changeCount <= maximumChangesSince) return;
  const message =
    `Revision ${revision} is ${changeCount} changes ago, and at most ${maximumChangesSince} can be undone in one ` +
    'read. The history of each key reaches back without a limit.';
  const details = { changeCount, maximumChangeCount: maximumChangesSince };
  throw new ApiError('payload_too_large', message, { details });
}

/**
 * The heads of an environment at a revision, in key order, including those of deleted keys.
 * @param changes the recorded changes from that revision on
 * @throws revision_not_found, payload_too_large; StaleRead if the heads don't match the recorded digest
 */
export async function headsAt(
  path: EnvironmentPath,
  { state, heads }: Snapshot,
  changes: readonly RecordedChange[],
  revision: number,
): Promise<readonly HeadRecord[]> {
  requireRevision(state, revision);
  if (revision === state.revision) return heads;
  if (revision <= state.firstRevision) return [];
  requireNear(state, revision);
  const within = (recorded: readonly RecordedChange[]) =>
    recorded.filter(change => change.revision >= revision && change.revision <= state.revision);
  const isWhole = (recorded: readonly RecordedChange[]) => recorded.length > state.revision - revision;
  let since = within(changes);
  // They were read in parallel with the state, so the newest may be missing.
  if (!isWhole(since)) since = within(await readChangesSince(path, revision));
  const recorded = since.find(change => change.revision === revision);
  if (recorded === undefined || !isWhole(since)) {
    throw new StaleRead(`Environment ${state.id} lacks records of its changes from revision ${revision} on.`);
  }
  const later = since.filter(change => change.revision > revision);
  return headsBefore(path, heads, later, { id: state.id, revision, digest: recorded.digest });
}

/** @throws version_destroyed naming the keys whose values were destroyed */
export function requireValues(heads: readonly HeadRecord[]): void {
  const destroyedKeys = heads.filter(({ destroyed }) => destroyed === true).map(({ key }) => key);
  if (destroyedKeys.length === 0) return;
  const keys = [...new Set(destroyedKeys)].toSorted();
  const message = `Values from that point in time were destroyed: ${keys.slice(0, 5).join(', ')}`;
  throw new ApiError('version_destroyed', message, { details: { keys } });
}
