import type { Log } from '../../core/logger.ts';
import { ranges } from '../../table/keys.ts';
import { at, find, queryItems, readAll } from '../../table/read.ts';
import { type EnvironmentState, environmentStateRecord, type FenceRecord } from '../../table/records/environment.ts';
import { type HeadRecord, headRecord, type VersionRecord, versionRecord } from '../../table/records/secret.ts';
import { pauseBeforeRetry, retryBudget, withoutReauthorization } from '../../table/retry.ts';
import { ConditionFailed, put, remove } from '../../table/write.ts';
import { type EnvironmentPath, partsOf } from './environment-path.ts';
import { readFences, stateAt } from './fencing.ts';
import type { KeyRing } from './key-ring.ts';
import { type Lease, leaseMs, releaseLease, takeOver, withHeartbeat } from './lease.ts';
import { headOf } from './read-snapshot.ts';
import { headBytes } from './secret-size.ts';
import { StaleRead } from './stale-read.ts';
import { putTombstone } from './tombstones.ts';
import { planSteps, type SizedWrite, writeSteps } from './write-steps.ts';

/**
 * Returns when the change that is under way is out of the way: its writer finished, or it fell silent and was undone.
 * Read everything again afterwards, because the next change may have begun.
 * @returns whether it was undone here
 * @throws temporarily_unavailable when the deadline is reached; StaleRead where a rotation has made the ring too old
 */
export async function waitForPendingChange(
  path: EnvironmentPath,
  { id }: Pick<EnvironmentState, 'id'>,
  ring: KeyRing,
  log: Log,
): Promise<boolean> {
  const silent = await waitUntilSilent(path, id);
  return silent !== undefined && undoAbandoned(path, silent, ring, log);
}

/** A change that shows no sign of life, as it may be taken over. */
interface SilentChange {
  state: EnvironmentState;
  copies: readonly (FenceRecord | undefined)[];
}

/**
 * Waits until no change is under way, or the one that is has shown no sign of life for its lease. Signs of life are
 * numbers that go up. How long they stand still is measured by the clock of this process alone.
 * @param id of the environment, where it is known
 * @returns the change that fell silent, as it may be taken over
 * @throws temporarily_unavailable when the deadline is reached
 */
export async function waitUntilSilent(path: EnvironmentPath, id?: string): Promise<SilentChange | undefined> {
  const budget = retryBudget();
  let seen: { signs: string; at: number } | undefined;
  for (;;) {
    const { state, copies } = await readFences(path);
    // Under the slugs there may be another environment by now.
    if (state?.pending === undefined || (id !== undefined && state.id !== id)) return undefined;
    const signs = JSON.stringify([state.fence, state.pending.heartbeat, copies.map(copy => copy?.steps)]);
    if (seen?.signs !== signs) seen = { signs, at: performance.now() };
    if (state.pending.abandoned === true || performance.now() - seen.at >= leaseMs) return { state, copies };
    await pauseBeforeRetry(budget);
  }
}

async function undoAbandoned(
  path: EnvironmentPath,
  { state, copies }: SilentChange,
  ring: KeyRing,
  log: Log,
): Promise<boolean> {
  // What it restores would be under a data key that a rotation takes away.
  if (state.keyVersion > ring.keyVersion) throw new StaleRead(`The key of environment ${state.id} was rotated.`);
  try {
    const lease = await takeOver(path, state, copies);
    log.warn('undoing a change whose writer fell silent', { environmentId: state.id, revision: state.revision + 1 });
    await undoAndRelease(lease, ring, log);
    return true;
  } catch (error) {
    // Its writer was alive after all, or another one is undoing it.
    if (!(error instanceof ConditionFailed)) throw error;
    return false;
  }
}

/**
 * Undoes what was written under a lease whose fencing token was raised since, and ends the lease. It does not re-authorize
 * the caller: half an undo would make the next writer wait for another lease.
 * @throws ConditionFailed when the lease was taken over
 */
export async function undoAndRelease(lease: Lease, ring: KeyRing, log: Log): Promise<void> {
  const undo = async () => {
    await restoreHeads(lease, ring);
    await releaseLease(lease);
  };
  await withoutReauthorization(() => withHeartbeat(lease, log, undo));
}

/**
 * Restores every head that was stamped later than the lease's revision from the history, under the ring's data key: after
 * a rotation has fenced the environment nothing may be written under an older one. Reads until it finds nothing more to
 * restore, because the last transaction before the token rose may become visible a moment after it.
 * @throws ConditionFailed when the lease was taken over
 */
async function restoreHeads(lease: Lease, ring: KeyRing): Promise<void> {
  for (;;) {
    const [first, ...items] = await queryItems(ranges.environmentHeads(...partsOf(lease.path)));
    const state = first === undefined ? undefined : environmentStateRecord.parse(first);
    // Without the lease, what is stamped later may be committed.
    if (state?.fence !== lease.fence) throw new ConditionFailed([]);
    const stamped = items.map(item => headRecord.parse(item)).filter(head => head.revision > lease.revision);
    if (stamped.length === 0) return;
    const before = await readAll(
      stamped.map(({ key, version }) => at(versionRecord, ...partsOf(lease.path), key, version - 1)),
    );
    const writes = await Promise.all(stamped.map((head, index) => restoring(head, before[index], lease, ring)));
    const { steps, lanes } = planSteps(writes);
    await writeSteps(lease, steps, lanes);
  }
}

/** The write that takes a head back to the version before. */
async function restoring(
  head: HeadRecord,
  before: VersionRecord | undefined,
  { path, environmentId, fence, revision }: Lease,
  ring: KeyRing,
): Promise<SizedWrite> {
  const read = at(headRecord, ...partsOf(path), head.key);
  if (head.version === 1) return { write: remove(read), bytes: headBytes(head) };
  if (before === undefined || before.revision > revision) {
    const state = await find(stateAt(path));
    if (state?.fence !== fence) throw new ConditionFailed([]);
    throw new Error(
      `${head.key} of environment ${environmentId} has no version ${head.version - 1} of revision ${revision} to go back to.`,
    );
  }
  if (before.deleted === true) {
    return { write: [remove(read), putTombstone(path, headOf(before))], bytes: 2 * headBytes(head) };
  }
  const restored = await underCurrentKey(headOf(before), environmentId, ring);
  return { write: put(read, restored), bytes: headBytes(restored) };
}

async function underCurrentKey(head: HeadRecord, environmentId: string, ring: KeyRing): Promise<HeadRecord> {
  if (head.keyVersion === undefined || head.keyVersion >= ring.keyVersion) return head;
  const value = await ring.open(environmentId, head);
  const sealed = await ring.seal(value, { environmentId, key: head.key, version: head.version });
  return { ...head, sealed, keyVersion: ring.keyVersion };
}
