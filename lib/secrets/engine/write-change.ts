import type { Log } from '../../core/logger.ts';
import { absent, atMost, type Condition, equals, isNew } from '../../table/expressions.ts';
import { auditRecord } from '../../table/records/audit-entry.ts';
import { type EnvironmentState, environmentStateRecord } from '../../table/records/environment.ts';
import { type HeadRecord, headRecord, versionRecord } from '../../table/records/secret.ts';
import { type RetryBudget, retryBudget } from '../../table/retry.ts';
import { at, ConditionFailed, find, put, transact, update, type Write } from '../../table/store.ts';
import {
  type Claim,
  giveUpClaim,
  holds,
  maximumBytesPerTransaction,
  type SizedWrite,
  writeUnderClaim,
} from './claim.ts';
import { changedDigest } from './digest.ts';
import { type EnvironmentPath, partsOf } from './environment-path.ts';
import type { KeyRing } from './key-ring.ts';
import { isLive, versionOf } from './read-snapshot.ts';
import { headBytes } from './secret-size.ts';
import { undoClaimed } from './undo-change.ts';

/*
 * How a change of an environment's secrets is written, all or nothing, as revision + 1:
 * - in one transaction where it is small enough;
 * - else under a claim on the state: versions, then heads stamped with the coming revision, then a commit. A writer that
 *   was presumed dead can change nothing more, because each step demands its claim. Heads come last because they are what
 *   has to be undone; versions that never commit stay invisible and are overwritten by the key's next one.
 *
 * The state's `keyVersion` only rises, and every write demands that it is not above the writer's. So once a rotation has
 * raised it, whatever is written is sealed under that data key or a newer one.
 */

/** A change as it is to be written, decided on the state and heads that it carries. */
export interface WritableChange {
  path: EnvironmentPath;
  /** Unique to the change, the same for every attempt to write it. */
  changeId: string;
  state: EnvironmentState;
  /** The heads as of the state's revision, by key; those of the change at least. */
  before: ReadonlyMap<string, HeadRecord>;
  /** The new heads, stamped with the state's revision + 1. */
  heads: readonly HeadRecord[];
  /** The audit entry; the transaction that makes the change visible writes it. */
  audit: Write;
  ring: KeyRing;
}

/** Two writes a key, the state and the audit entry, well below the 100 writes of a transaction. */
const maximumKeysAtOnce = 45;

/** Whether the heads, with their versions, go into one transaction. */
export function fitsOneTransaction(heads: readonly HeadRecord[]): boolean {
  const bytes = heads.reduce((sum, head) => sum + 2 * headBytes(head), 0);
  return heads.length <= maximumKeysAtOnce && bytes <= maximumBytesPerTransaction;
}

/** The members of the state that tell what the environment holds, after the change. Pure. */
export function contentAfter({ state, before, heads }: Pick<WritableChange, 'state' | 'before' | 'heads'>) {
  const replaced = heads.map(head => before.get(head.key)).filter(head => head !== undefined);
  const added = heads.filter(isLive);
  const removed = replaced.filter(isLive);
  const bytesOf = (some: readonly HeadRecord[]) => some.reduce((sum, { sizeBytes }) => sum + (sizeBytes ?? 0), 0);
  return {
    secretCount: state.secretCount + added.length - removed.length,
    sizeBytes: state.sizeBytes + bytesOf(added) - bytesOf(removed),
    valueCount: state.valueCount + added.length,
    digest: changedDigest(state.digest, replaced, heads),
  };
}

/**
 * Writes the change. For one that does not fit a transaction, `before` must be a verified snapshot, for its versions
 * are written without a look at what stands in their place.
 * @throws ConditionFailed when the environment was changed in between: nothing is changed, decide again
 */
export async function writeChange(change: WritableChange, budget: RetryBudget, log: Log): Promise<void> {
  if (fitsOneTransaction(change.heads)) await writeAtOnce(change, budget);
  else await writeInSteps(change, budget, log);
}

async function writeAtOnce(change: WritableChange, budget: RetryBudget): Promise<void> {
  const { path, heads, before } = change;
  await commit(change, unclaimed(change), budget, [
    ...heads.map(head => {
      // The heads may have been read one by one, and so be older than the state that the other condition pins.
      const replaced = before.get(head.key);
      const condition = replaced === undefined ? isNew : { version: equals(replaced.version) };
      return put(at(headRecord, ...partsOf(path), head.key), head, { if: condition });
    }),
    ...heads.map(head => putVersion(path, head).write),
  ]);
}

async function writeInSteps(change: WritableChange, budget: RetryBudget, log: Log): Promise<void> {
  const { path, heads, changeId, state, ring } = change;
  const claim: Claim = {
    path,
    changeId,
    environmentId: state.id,
    revision: state.revision,
    keyVersion: ring.keyVersion,
  };
  const pending = { changeId, revision: state.revision + 1, beatAtMs: Date.now() };
  try {
    await transact(
      [
        update(
          at(environmentStateRecord, ...partsOf(path)),
          { set: { pending, keyVersion: ring.keyVersion } },
          { if: unclaimed(change) },
        ),
      ],
      budget,
    );
    await writeUnderClaim(
      claim,
      heads.map(head => putVersion(path, head)),
      budget,
    );
    await writeUnderClaim(
      claim,
      heads.map(head => ({ write: put(at(headRecord, ...partsOf(path), head.key), head), bytes: headBytes(head) })),
      budget,
    );
    await commit(change, holds(claim), budget, []);
  } catch (error) {
    // Whoever took the claim over undoes the change. With any other failure the claim may still be held, and would keep
    // the next writer waiting.
    if (!(error instanceof ConditionFailed)) await undoOwn(claim, ring, log);
    throw error;
  }
}

async function undoOwn(claim: Claim, ring: KeyRing, log: Log): Promise<void> {
  const budget = retryBudget(undoTimeMs);
  try {
    await undoClaimed(claim, ring, budget);
    await giveUpClaim(claim, budget);
  } catch (error) {
    // The next writer finds a claim without a heartbeat, or none at all, and does it.
    log.warn('could not undo a change that failed', { environmentId: claim.environmentId, reason: String(error) });
  }
}

const undoTimeMs = 3000;

/** Makes the change visible. After a lost answer the audit entry tells whether it was. */
async function commit(
  change: WritableChange,
  condition: Condition<EnvironmentState>,
  budget: RetryBudget,
  writes: readonly Write[],
): Promise<void> {
  const { path, changeId, state, audit, ring } = change;
  const changes = {
    set: {
      ...contentAfter(change),
      revision: state.revision + 1,
      changeId,
      keyVersion: ring.keyVersion,
      pending: undefined,
    },
  };
  try {
    await transact(
      [update(at(environmentStateRecord, ...partsOf(path)), changes, { if: condition }), ...writes, audit],
      budget,
    );
  } catch (error) {
    if (error instanceof ConditionFailed) throw error;
    const entry = await find({ entity: auditRecord, key: audit.key }).catch(() => undefined);
    if (entry === undefined) throw error;
  }
}

/** The state is still the one the change was decided on, and takes values sealed under its data key. */
function unclaimed({ state, ring }: WritableChange): Condition<EnvironmentState> {
  return {
    revision: equals(state.revision),
    pending: absent,
    keyVersion: atMost(ring.keyVersion),
    status: equals('active'),
  };
}

function putVersion(path: EnvironmentPath, head: HeadRecord): SizedWrite {
  const write = put(at(versionRecord, ...partsOf(path), head.key, head.version), versionOf(head));
  return { write, bytes: headBytes(head) };
}
