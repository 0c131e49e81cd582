import { temporarilyUnavailable } from '../../core/errors.ts';
import type { Log } from '../../core/logger.ts';
import { type Changes, type Condition, equals, isNew } from '../../table/expressions.ts';
import { auditRecord } from '../../table/records/audit-entry.ts';
import type { EnvironmentState } from '../../table/records/environment.ts';
import { type HeadRecord, headRecord, versionRecord } from '../../table/records/secret.ts';
import { withDeadline } from '../../table/retry.ts';
import { at, ConditionFailed, find, put, transact, update, upsert, type Write } from '../../table/store.ts';
import {
  acquire,
  isHeld,
  newClaim,
  planSteps,
  raiseFence,
  type SizedWrite,
  withHeartbeat,
  writeSteps,
} from './claim.ts';
import { bindsVersionsOnly, changedDigest, digestOf } from './digest.ts';
import { type EnvironmentPath, partsOf } from './environment-path.ts';
import { fenced, notRisen, removeFences, stateAt } from './fencing.ts';
import type { KeyRing } from './key-ring.ts';
import { isLive, versionOf } from './read-snapshot.ts';
import { revisionWrites } from './revision-writes.ts';
import { headBytes } from './secret-size.ts';
import { undoAndRelease } from './undo-change.ts';

/** A change as it is to be written, decided on the state and heads that it carries. See README.md. */
export interface WritableChange {
  path: EnvironmentPath;
  state: EnvironmentState;
  /** The heads as of the state's revision, by key; those of the change at least. */
  before: ReadonlyMap<string, HeadRecord>;
  /** The new heads, stamped with the state's revision + 1 and its fencing token + 1. */
  heads: readonly HeadRecord[];
  /** Puts the audit entry if it is new; the transaction that makes the change visible writes it. */
  audit: Write;
  /** The revision that the change restores. */
  restored?: number | undefined;
  /** What else must hold at the moment of the commit. */
  checks: readonly Write[];
  ring: KeyRing;
  /** Why the change is made. */
  message?: string | undefined;
}

/** A check of the commit did not hold: the change was decided on something outdated, and another try cannot help. */
export class DecisionOutdated extends ConditionFailed {}

/** Two writes a key, the state, the revision and the audit entry, well below the 100 writes of a transaction. */
const maximumKeysAtOnce = 45;
/** DynamoDB takes 4 MB a transaction; the rest is room for what is not measured. */
const maximumBytesAtOnce = 3_500_000;

/** Whether the heads, with their versions, go into one transaction. */
export function fitsOneTransaction(heads: readonly HeadRecord[]): boolean {
  const bytes = heads.reduce((sum, head) => sum + 2 * headBytes(head), 0);
  return heads.length <= maximumKeysAtOnce && bytes <= maximumBytesAtOnce;
}

/** Whether the change can be written only by a writer who has read, and verified, all heads of the environment. */
export function needsAllHeads({ state, heads }: Pick<WritableChange, 'state' | 'heads'>): boolean {
  // A large change writes its versions without a condition on what they overwrite.
  return !fitsOneTransaction(heads) || bindsVersionsOnly(state.digest);
}

type Content = Pick<WritableChange, 'state' | 'before' | 'heads'>;

/** How much the environment holds after the change. Pure. */
export function sizeAfter({ state, before, heads }: Content) {
  const added = heads.filter(isLive);
  const removed = heads.map(head => before.get(head.key)).filter(isLive);
  const bytesOf = (some: readonly HeadRecord[]) => some.reduce((sum, { sizeBytes }) => sum + (sizeBytes ?? 0), 0);
  return {
    secretCount: state.secretCount + added.length - removed.length,
    sizeBytes: state.sizeBytes + bytesOf(added) - bytesOf(removed),
    valueCount: state.valueCount + added.length,
  };
}

/** The members of the state that tell what the environment holds, after the change. Pure. */
export function contentAfter(content: Content) {
  const { state, before, heads } = content;
  const replaced = heads.map(head => before.get(head.key)).filter(head => head !== undefined);
  const digest = bindsVersionsOnly(state.digest)
    ? digestOf(new Map([...before, ...heads.map(head => [head.key, head] as const)]).values())
    : changedDigest(state.digest, replaced, heads);
  return { ...sizeAfter(content), digest };
}

/**
 * Writes the change, all or nothing.
 * @throws ConditionFailed when the environment was changed in between: nothing is changed, and never will be by this
 * call; decide again. DecisionOutdated when one of the checks did not hold.
 */
export async function writeChange(change: WritableChange, log: Log): Promise<void> {
  if (fitsOneTransaction(change.heads)) await writeAtOnce(change, log);
  else await writeInSteps(change, log);
}

async function writeAtOnce(change: WritableChange, log: Log): Promise<void> {
  const { path, state, heads, before } = change;
  const read = fenced(path, state);
  const puts = heads.map(head => {
    // The heads may have been read one by one, and so be older than the state that the other condition pins.
    const replaced = before.get(head.key);
    const condition = replaced === undefined ? isNew : { version: equals(replaced.version) };
    return put(at(headRecord, ...partsOf(path), head.key), head, { if: condition });
  });
  try {
    await commit(change, notRisen(read), { fence: read.fence + 1 }, [
      ...puts,
      ...heads.map(head => putVersion(path, head).write),
    ]);
  } catch (error) {
    if (error instanceof DecisionOutdated) throw error;
    const fence = read.fence + 1;
    await requireCommitted(change, error, log, {
      raise: () => transact([update(stateAt(path), { set: { fence } }, { if: notRisen(read) })]),
      undo: () => Promise.resolve(),
    });
  }
}

async function writeInSteps(change: WritableChange, log: Log): Promise<void> {
  const { path, heads, state, ring } = change;
  // Heads come last because they are what has to be undone. A version that never commits stays invisible, and is
  // overwritten by the key's next one. A part of a revision that never commits has another token than the one that does.
  const { steps, lanes } = planSteps([
    ...revisionWrites(change).parts,
    ...heads.map(head => putVersion(path, head)),
    ...heads.map(head => ({ write: put(at(headRecord, ...partsOf(path), head.key), head), bytes: headBytes(head) })),
  ]);
  const claim = newClaim(path, state, lanes);
  try {
    await acquire(claim);
    await withHeartbeat(claim, log, () => writeSteps(claim, steps, lanes));
    await commit(change, isHeld(claim), { pending: undefined, leaseMs: undefined }, removeFences(claim, claim.fences));
  } catch (error) {
    await requireCommitted(change, error, log, {
      raise: () => raiseFence(claim),
      undo: raised => undoAndRelease(raised, ring, log),
    });
  }
}

/** Makes the change visible. */
async function commit(
  change: WritableChange,
  condition: Condition<EnvironmentState>,
  set: NonNullable<Changes<EnvironmentState>['set']>,
  writes: readonly Write[],
): Promise<void> {
  const { path, state, audit, checks } = change;
  const content = contentAfter(change);
  const after = { ...content, revision: state.revision + 1, ...set };
  await transact([
    upsert(stateAt(path), { set: after }, { if: { ...condition, status: equals('active') } }),
    ...writes,
    revisionWrites(change).main(content.digest),
    audit,
    ...checks,
  ]);
}

/** How long to find out whether a change was made, after the request's own time is over. */
const recoveryTimeMs = 3000;

/**
 * Returns when the change was committed although its writer got an error; else throws the error.
 *
 * What was sent without an answer may still be executed. So the fencing token is raised first: if that works, the change
 * was not committed and never will be. If it is refused, the token rose before, and the audit entry tells whether it was
 * this change that raised it.
 */
async function requireCommitted<T>(
  change: WritableChange,
  error: unknown,
  log: Log,
  { raise, undo }: { raise: () => Promise<T>; undo: (raised: T) => Promise<void> },
): Promise<void> {
  await withDeadline(async () => {
    // The condition of a check says nothing about the token.
    const isRefused = error instanceof ConditionFailed && !(error instanceof DecisionOutdated);
    const raised = isRefused ? ({ as: 'refused' } as const) : await outcomeOf(raise);
    if (raised.as === 'done') {
      await undo(raised.result).catch((reason: unknown) => {
        // The next writer does it.
        log.warn('could not undo a change that failed', { environmentId: change.state.id, reason: String(reason) });
      });
      throw error;
    }
    const entry = await outcomeOf(() => find({ entity: auditRecord, key: change.audit.key }));
    if (entry.as === 'done' && entry.result?.revision === change.state.revision + 1) return;
    if (raised.as === 'refused' && entry.as === 'done') throw error;
    throw temporarilyUnavailable('Whether the change was made could not be found out. Send the request again.', error);
  }, recoveryTimeMs);
}

type CallOutcome<T> = { as: 'done'; result: T } | { as: 'refused' } | { as: 'unknown' };

async function outcomeOf<T>(call: () => Promise<T>): Promise<CallOutcome<T>> {
  try {
    return { as: 'done', result: await call() };
  } catch (error) {
    return { as: error instanceof ConditionFailed ? 'refused' : 'unknown' };
  }
}

function putVersion(path: EnvironmentPath, head: HeadRecord): SizedWrite {
  const write = put(at(versionRecord, ...partsOf(path), head.key, head.version), versionOf(head));
  return { write, bytes: headBytes(head) };
}
