import type { Log } from '../../core/logger.ts';
import { type EnvironmentPath, keys, ranges } from '../../table/keys.ts';
import { at, find, queryItems, readTogether } from '../../table/read.ts';
import type { EnvironmentState } from '../../table/records/environment.ts';
import { type HeadRecord, headRecord, type VersionRecord } from '../../table/records/secret.ts';
import { stateAt } from './fencing.ts';
import { readAgainWhileStale, StaleRead } from './stale-read.ts';
import { findTombstones } from './tombstones.ts';

export type KeyPath = EnvironmentPath & { key: string };

/** When a key changed, and whether it had a value from then on. */
type KeyChange = Pick<VersionRecord, 'version' | 'revision' | 'deleted'>;

/** Every committed change of a key, without its values, oldest first; undefined if the environment is gone. */
export async function readKeyChanges(log: Log, path: KeyPath, environmentId: string) {
  return readAgainWhileStale(log, path, async () => {
    const { state, head } = await readTogether({ state: stateAt(path), head: at(headRecord, path, path.key) });
    if (state?.id !== environmentId || state.status !== 'active') return undefined;
    const { version: newest } = await newestVersion(path, { state, head });
    const range = ranges.versions(path, path.key, { from: 1, to: newest });
    const [items] = await Promise.all([
      newest === 0 ? [] : queryItems({ ...range, attributes: ['version', 'revision', 'deleted'] }),
      head === undefined ? undefined : requireSameHead(path, head),
    ]);
    const changes = items as unknown as KeyChange[];
    requireComplete(changes, { from: 1, to: newest }, state);
    return changes;
  });
}

/**
 * The newest committed version, or 0. Every version below a head is committed, and so is the head unless it is stamped
 * with the revision in progress.
 * @throws StaleRead if the head's revision is later than the state's and is not that of the change in progress
 */
export async function newestVersion(
  path: KeyPath,
  { state, head }: { state: EnvironmentState; head: HeadRecord | undefined },
): Promise<{ version: number; isDeleted: boolean }> {
  // Read after the head, because a deleted key has its tombstone by the time its head is gone.
  const newest = head ?? (await findTombstones(path, [path.key]))[0];
  if (newest === undefined) return { version: 0, isDeleted: false };
  const { version, revision, deleted } = newest;
  if (revision <= state.revision) return { version, isDeleted: deleted === true };
  if (revision === state.pending?.revision) return { version: version - 1, isDeleted: false };
  throw new StaleRead(`The head of ${newest.key} in environment ${state.id} is ahead of the state.`);
}

/** A head read before the state may belong to a change that was undone since. @throws StaleRead if it has changed */
export async function requireSameHead({ key, ...path }: KeyPath, { version, revision, fence }: HeadRecord) {
  const head = await find(at(headRecord, path, key));
  if (head?.version === version && head.revision === revision && head.fence === fence) return;
  throw new StaleRead(`The head of ${key} (${keys.environmentState(path).pk}) changed during the read.`);
}

/** @throws StaleRead if the range has gaps or items of a later revision */
export function requireComplete(
  versions: readonly KeyChange[],
  { from, to }: { from: number; to: number },
  state: EnvironmentState,
): void {
  const expected = Math.max(0, to - from + 1);
  if (versions.length !== expected || versions.some(({ revision }) => revision > state.revision)) {
    throw new StaleRead(`The history read of environment ${state.id} does not fit revision ${state.revision}.`);
  }
}
