import type { Log } from '../../core/logger.ts';
import { type EnvironmentPath, ranges } from '../../table/keys.ts';
import { at, find, queryItems, readAll } from '../../table/read.ts';
import type { EnvironmentState } from '../../table/records/environment.ts';
import { type HeadRecord, headRecord, type VersionRecord, versionRecord } from '../../table/records/secret.ts';
import { pauseBeforeRetry, retryBudget, withoutReauthorization } from '../../table/retry.ts';
import { ConditionFailed, put, remove } from '../../table/write.ts';
import { readFences, stateAt } from './fencing.ts';
import type { KeyRing } from './key-ring.ts';
import { type Lease, leaseMs, releaseLease, takeOver, withHeartbeat } from './lease.ts';
import { headOf, stateIn } from './read-snapshot.ts';
import { headBytes } from './secret-size.ts';
import { StaleRead } from './stale-read.ts';
import { putTombstone } from './tombstones.ts';
import { planSteps, type SizedWrite, writeSteps } from './write-steps.ts';

/**
 * Waits until no change is in progress, and undoes one whose writer has gone silent. Read everything again afterwards,
 * because the next change may have started.
 * @returns whether it was undone here
 * @throws temporarily_unavailable at the deadline; StaleRead if a key rotation has made the ring too old
 */
export async function waitForPendingChange(
  path: EnvironmentPath,
  { id }: Pick<EnvironmentState, 'id'>,
  ring: KeyRing,
  log: Log,
): Promise<boolean> {
  const silent = await waitUntilSilent(path, id);
  if (silent === undefined) return false;
  const { state, copies } = silent;
  // The undo would restore values under a data key that the rotation deletes.
  if (state.keyVersion > ring.keyVersion) throw new StaleRead(`The key of environment ${state.id} was rotated.`);
  try {
    const lease = await takeOver(path, state, copies);
    log.warn('undoing a change whose writer fell silent', { environmentId: state.id, revision: state.revision + 1 });
    await undoAndRelease(lease, ring, log);
    return true;
  } catch (error) {
    // Its writer was alive after all, or another writer is undoing it.
    if (!(error instanceof ConditionFailed)) throw error;
    return false;
  }
}

/**
 * Waits until no change is in progress, or its writer's counters have not risen for the duration of a lease, measured
 * by this process's clock alone.
 * @param id of the environment, if the caller has read it
 * @returns the silent change, if any, as it must still be for a takeover
 * @throws temporarily_unavailable at the deadline
 */
export async function waitUntilSilent(path: EnvironmentPath, id?: string) {
  const budget = retryBudget();
  let latest: { signs: string; at: number } | undefined;
  for (;;) {
    const { state, copies } = await readFences(path);
    // The slugs may name another environment by now.
    if (state?.pending === undefined || (id !== undefined && state.id !== id)) return undefined;
    const signs = JSON.stringify([state.fence, state.pending.heartbeat, copies.map(copy => copy?.steps)]);
    if (latest?.signs !== signs) latest = { signs, at: performance.now() };
    if (state.pending.abandoned === true || performance.now() - latest.at >= leaseMs) return { state, copies };
    await pauseBeforeRetry(budget);
  }
}

/**
 * Undoes what was written under a lease before its token was raised, and ends it. Does not re-authorize the caller,
 * because after half an undo the next writer waits for another lease to expire.
 * @throws ConditionFailed if the lease was taken over
 */
export async function undoAndRelease(lease: Lease, ring: KeyRing, log: Log): Promise<void> {
  const undo = () => restoreHeads(lease, ring).then(() => releaseLease(lease));
  await withoutReauthorization(() => withHeartbeat(lease, log, undo));
}

/**
 * Restores every head stamped later than the lease's revision from the history, under the ring's data key. Repeats
 * until nothing is left, because the last transaction under the old token may become visible with a delay.
 * @throws ConditionFailed if the lease was taken over
 */
async function restoreHeads(lease: Lease, ring: KeyRing): Promise<void> {
  for (;;) {
    const items = await queryItems(ranges.environmentHeads(lease.path));
    const state = stateIn({ items });
    // Without the lease, heads stamped later may be committed.
    if (state?.fence !== lease.fence) throw new ConditionFailed([]);
    const heads = items.slice(1).map(item => headRecord.parse(item));
    const stamped = heads.filter(head => head.revision > lease.revision);
    if (stamped.length === 0) return;
    const earlier = await readAll(stamped.map(({ key, version }) => at(versionRecord, lease.path, key, version - 1)));
    const writes = await Promise.all(stamped.map((head, index) => restoring(head, earlier[index], lease, ring)));
    const { steps, lanes } = planSteps(writes);
    await writeSteps(lease, steps, lanes);
  }
}

async function restoring(
  head: HeadRecord,
  earlier: VersionRecord | undefined,
  { path, environmentId, fence, revision }: Lease,
  ring: KeyRing,
): Promise<SizedWrite> {
  const item = at(headRecord, path, head.key);
  if (head.version === 1) return { write: remove(item), bytes: headBytes(head) };
  if (earlier === undefined || earlier.revision > revision) {
    const state = await find(stateAt(path));
    if (state?.fence !== fence) throw new ConditionFailed([]);
    const missing = `version ${head.version - 1} of revision ${revision}`;
    throw new Error(`${head.key} of environment ${environmentId} has no ${missing} to go back to.`);
  }
  if (earlier.deleted === true) {
    return { write: [remove(item), putTombstone(path, headOf(earlier))], bytes: 2 * headBytes(head) };
  }
  const restored = await underCurrentKey(headOf(earlier), environmentId, ring);
  return { write: put(item, restored), bytes: headBytes(restored) };
}

async function underCurrentKey(head: HeadRecord, environmentId: string, ring: KeyRing): Promise<HeadRecord> {
  if (head.keyVersion === undefined || head.keyVersion >= ring.keyVersion) return head;
  const value = await ring.open(environmentId, head);
  const sealed = await ring.seal(value, { environmentId, key: head.key, version: head.version });
  return { ...head, sealed, keyVersion: ring.keyVersion };
}
