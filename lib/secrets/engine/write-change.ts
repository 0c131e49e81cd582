import { CapacityMissing, waitingForCapacity } from '../../core/capacity.ts';
import { temporarilyUnavailable } from '../../core/errors.ts';
import type { Log } from '../../core/logger.ts';
import { asRead, type Changes, type Condition, equals, isNew } from '../../table/expressions.ts';
import type { EnvironmentPath } from '../../table/keys.ts';
import { at, find } from '../../table/read.ts';
import { auditRecord } from '../../table/records/audit.ts';
import type { EnvironmentState } from '../../table/records/environment.ts';
import { type HeadRecord, headRecord, versionRecord } from '../../table/records/secret.ts';
import { withDeadline, withoutReauthorization } from '../../table/retry.ts';
import { ConditionFailed, put, remove, transact, update, type Write } from '../../table/write.ts';
import { changedDigest } from './digest.ts';
import { fenced, notRisen, removeFences, stateAt } from './fencing.ts';
import { pagesAfter } from './head-pages.ts';
import type { KeyRing } from './key-ring.ts';
import { acquire, isHeld, type Lease, newLease, raiseFence, withHeartbeat } from './lease.ts';
import { isLive, versionOf } from './read-snapshot.ts';
import { expandingAmong } from './references.ts';
import { type RevisedChange, revisionWrites } from './revision-writes.ts';
import { headBytes } from './secret-size.ts';
import { putTombstone } from './tombstones.ts';
import { undoAndRelease } from './undo-change.ts';
import { planSteps, type SizedWrite, writeSteps } from './write-steps.ts';

/** A decided change, ready to be written. See README.md. */
export interface WritableChange extends RevisedChange {
  isMixed: boolean;
  /** Further writes of the commit, made when it is sent. */
  checks(): Promise<readonly Write[]>;
  ring: KeyRing;
  served?: number | undefined;
  /** Throws if the caller's right has ended since the decision. */
  requireStill?: (() => void) | undefined;
}

/** The values to copy were changed or destroyed after they were read, so they must be read again. */
export class DecisionOutdated extends Error {
  override readonly name = 'DecisionOutdated';
}

/**
 * The key's next version exists: the key was read before its deletion, or a large change that never committed wrote it.
 * A writer that reads tombstones after the state has the right number and may overwrite it.
 */
export class VersionTaken extends ConditionFailed {}

/**
 * A transaction has up to 100 writes. This leaves room for the state, the revision, the audit entry, and the seven of an
 * approved proposal: itself, the last approval's entry, its author, three approvers, and one to spare.
 */
const maximumWritesAtOnce = 90;
/** A transaction may be 4 MB; the margin covers what isn't measured. */
const maximumBytesAtOnce = 3_500_000;

export function fitsOneTransaction(heads: readonly HeadRecord[]): boolean {
  const bytes = heads.reduce((sum, head) => sum + 2 * headBytes(head), 0);
  // A head and a version; for a deletion also a tombstone.
  const writes = heads.reduce((sum, head) => sum + (isLive(head) ? 2 : 3), 0);
  return writes <= maximumWritesAtOnce && bytes <= maximumBytesAtOnce;
}

type Content = Pick<WritableChange, 'state' | 'before' | 'heads'>;

export function sizeAfter({ state, before, heads }: Content) {
  const added = heads.filter(isLive);
  const removed = heads.map(head => before.get(head.key)).filter(isLive);
  const bytesOf = (live: readonly HeadRecord[]) => live.reduce((sum, { sizeBytes }) => sum + (sizeBytes ?? 0), 0);
  const secretCount = state.secretCount + added.length - removed.length;
  return { secretCount, sizeBytes: state.sizeBytes + bytesOf(added) - bytesOf(removed) };
}

export function contentAfter(content: Content) {
  const { state, before, heads } = content;
  const replaced = heads.map(head => before.get(head.key)).filter(head => head !== undefined);
  const digest = changedDigest(state.digest, replaced, heads);
  const count = (state.expandingKeys ?? 0) + (expandingAmong(heads) ?? 0) - (expandingAmong(replaced) ?? 0);
  const expandingKeys = count === 0 ? undefined : count;
  return { ...sizeAfter(content), digest, ...(expandingKeys !== state.expandingKeys && { expandingKeys }) };
}

/** Whether the change leaves dead heads. If so, the state records that until they are moved. Pure. */
export function leavesDeadHeads(heads: readonly HeadRecord[]): boolean {
  return !fitsOneTransaction(heads) && heads.some(head => !isLive(head));
}

/**
 * Writes the change, all or nothing.
 * @throws ConditionFailed if the environment was changed in between: this call changes nothing, now or later; decide
 * again. VersionTaken if the next decision needs all heads. DecisionOutdated if one of the checks did not hold.
 */
export async function writeChange(change: WritableChange, log: Log): Promise<void> {
  if (fitsOneTransaction(change.heads)) await writeAtOnce(change, log);
  else await writeInSteps(change, log);
}

async function writeAtOnce(change: WritableChange, log: Log): Promise<void> {
  const { path, state, heads } = change;
  const read = fenced(path, state);
  try {
    await commit(change, notRisen(read), { fence: read.fence + 1 }, [
      ...heads.map(head => versionAtOnce(change, head)),
      ...heads.flatMap(head => headAtOnce(change, head)),
    ]);
  } catch (refused) {
    if (refused instanceof DecisionOutdated || refused instanceof CapacityMissing) throw refused;
    const error = isVersionTaken(refused, heads) ? new VersionTaken(refused.indexes) : refused;
    const raising = update(stateAt(path), { set: { fence: read.fence + 1 } }, { if: notRisen(read) });
    await requireCommitted(change, error, log, { raise: () => transact([raising]), undo: () => Promise.resolve() });
  }
}

/**
 * Heads that were read one by one may be older than the state, and even belong to a change undone since. A deleted key
 * may still have a dead head.
 */
function headAtOnce({ path, before }: WritableChange, head: HeadRecord): Write[] {
  const read = at(headRecord, path, head.key);
  const replaced = before.get(head.key);
  const isSame = replaced === undefined ? [] : [asRead(replaced, ['version', 'revision', 'fence'])];
  const condition = { if: isLive(replaced) ? isSame : [isNew, ...isSame] };
  if (isLive(head)) return [put(read, head, condition)];
  return [remove(read, condition), putTombstone(path, head)];
}

function versionAtOnce({ path, before, isMixed }: WritableChange, head: HeadRecord): Write {
  const { write } = putVersion(path, head);
  const mayBeTaken = isMixed && !isLive(before.get(head.key));
  return mayBeTaken ? { ...write, condition: isNew } : write;
}

/** The first write is of the state, which must be unchanged; then come the versions. */
function isVersionTaken(error: unknown, heads: readonly HeadRecord[]): error is ConditionFailed {
  if (!(error instanceof ConditionFailed)) return false;
  return !error.indexes.includes(0) && error.indexes.some(index => index <= heads.length);
}

async function writeInSteps(change: WritableChange, log: Log): Promise<void> {
  const { path, heads, state, ring } = change;
  // Heads come last because only they have to be undone. A version that never commits stays invisible until the key's
  // next one overwrites it; a revision part that never commits has a different token.
  const { steps, lanes } = planSteps([
    ...revisionWrites(change).parts,
    ...heads.map(head => putVersion(path, head)),
    ...heads.map(head => ({ write: put(at(headRecord, path, head.key), head), bytes: headBytes(head) })),
  ]);
  const lease = newLease(path, state, lanes);
  let isAcquired = false;
  try {
    await acquire(lease);
    isAcquired = true;
    // From here on, giving up would leave an undo to the next writer.
    await waitingForCapacity(async () => {
      await withHeartbeat(lease, log, () => writeSteps(lease, steps, lanes));
      await commit(change, isHeld(lease), { pending: undefined }, removeFences(lease, lease.fences));
    });
  } catch (error) {
    if (error instanceof CapacityMissing && !isAcquired) throw error;
    const undo = (raised: Lease) => undoAndRelease(raised, ring, log);
    await requireCommitted(change, error, log, { raise: () => raiseFence(lease), undo });
  }
}

async function commit(
  change: WritableChange,
  condition: Condition<EnvironmentState>,
  set: NonNullable<Changes<EnvironmentState>['set']>,
  writes: readonly Write[],
): Promise<void> {
  const { path, state, heads, audit, checks } = change;
  change.requireStill?.();
  const content = contentAfter(change);
  const revision = state.revision + 1;
  const deadHeads = leavesDeadHeads(heads) ? { deadHeadsUpTo: revision } : {};
  const pages = pagesAfter(change, change);
  const cut = pages === undefined && state.pages === undefined ? {} : { pages };
  const served = change.served === undefined ? {} : { served: change.served };
  const after = { ...content, ...cut, revision, ...deadHeads, ...served, ...set };
  // Destroying values lowers this count without raising the token, so the change adds to it instead of setting it.
  const add = { valueCount: heads.filter(isLive).length };
  const { condition: noneDestroyed = {}, ...refusal } = change.restored === undefined ? {} : whileNoneDestroyed(state);
  // Whether changes need approvals was decided on the state as read.
  const isSame = { ...condition, ...noneDestroyed, ...asRead(state, ['approvals']), status: equals('active') };
  await transact([
    // An update leaves the format as it is, so that older code reads the state unless it has `approvals`.
    update(stateAt(path), { set: after, add }, { if: isSame, ...refusal }),
    ...writes,
    revisionWrites(change).main(content.digest),
    audit,
    ...(await checks()),
  ]);
}

/** A restore must not bring back a value that was destroyed since it was read. */
function whileNoneDestroyed(state: EnvironmentState) {
  return {
    condition: asRead(state, ['valueCount']),
    refused: (current: Partial<EnvironmentState> | undefined) => {
      const isDestroyed = current?.revision === state.revision && current.valueCount !== state.valueCount;
      return isDestroyed ? new DecisionOutdated() : new ConditionFailed([0]);
    },
  };
}

/** The time for determining whether a change was made, in addition to the request's own. */
const recoveryTimeMs = 3000;

/**
 * Returns if the change was committed even though its writer got an error; otherwise throws the error. A request that
 * got no response may still be executed. So this raises the fencing token first: if that succeeds, the change was not
 * and will not be committed. If it is rejected, the audit entry shows whether this change raised it.
 */
async function requireCommitted<T>(
  change: WritableChange,
  error: unknown,
  log: Log,
  { raise, undo }: { raise: () => Promise<T>; undo: (raised: T) => Promise<void> },
): Promise<void> {
  const findOut = async () => {
    // A refused check says nothing about the token.
    const raised = error instanceof ConditionFailed ? ({ as: 'refused' } as const) : await outcomeOf(raise);
    if (raised.as === 'done') {
      await undo(raised.result).catch((reason: unknown) => {
        // The next writer will undo it.
        log.warn('could not undo a change that failed', { environmentId: change.state.id, reason: String(reason) });
      });
      throw error;
    }
    const entry = await outcomeOf(() => find({ entity: auditRecord, key: change.audit.key }));
    if (entry.as === 'done' && entry.result?.revision === change.state.revision + 1) return;
    if (raised.as === 'refused' && entry.as === 'done') throw error;
    const message = 'It could not be determined whether the change was made. Send the request again.';
    throw temporarilyUnavailable(message, error);
  };
  await withoutReauthorization(() => withDeadline(findOut, recoveryTimeMs));
}

type CallOutcome<T> = { as: 'done'; result: T } | { as: 'refused' } | { as: 'unknown' };

async function outcomeOf<T>(call: () => Promise<T>): Promise<CallOutcome<T>> {
  try {
    return { as: 'done', result: await call() };
  } catch (error) {
    return { as: error instanceof ConditionFailed ? 'refused' : 'unknown' };
  }
}

function putVersion(path: EnvironmentPath, head: HeadRecord): SizedWrite & { write: Write } {
  const write = put(at(versionRecord, path, head.key, head.version), versionOf(head));
  return { write, bytes: headBytes(head) };
}
