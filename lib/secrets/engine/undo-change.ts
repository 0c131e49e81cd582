import { randomUUID } from 'node:crypto';
import type { Log } from '../../core/logger.ts';
import { atMost, equals } from '../../table/expressions.ts';
import { ranges } from '../../table/keys.ts';
import { type EnvironmentState, environmentStateRecord } from '../../table/records/environment.ts';
import { type HeadRecord, headRecord, versionRecord } from '../../table/records/secret.ts';
import { pauseBeforeRetry, type RetryBudget } from '../../table/retry.ts';
import { at, ConditionFailed, find, put, queryItems, readAll, remove, transact, update } from '../../table/store.ts';
import { type Claim, giveUpClaim, type SizedWrite, writeUnderClaim } from './claim.ts';
import { type EnvironmentPath, partsOf } from './environment-path.ts';
import type { KeyRing } from './key-ring.ts';
import { headOf } from './read-snapshot.ts';
import { headBytes } from './secret-size.ts';

/** A writer beats with every step, several times a second. One that was silent for this long is presumed dead. */
const silentAfterMs = 2000;

/**
 * Returns when the change in flight that `state` shows is out of the way: its writer finished, or fell silent and it was
 * undone. Read everything again afterwards; there may be a next one.
 * @throws temporarily_unavailable when the budget is used up
 */
export async function waitUntilSettled(
  path: EnvironmentPath,
  state: EnvironmentState,
  ownChangeId: string,
  ring: KeyRing,
  budget: RetryBudget,
  log: Log,
): Promise<void> {
  let current: EnvironmentState | undefined = state;
  while (current?.pending !== undefined) {
    // Its own claim is left where the answer to claiming was lost and claiming again was refused.
    if (current.pending.changeId === ownChangeId || Date.now() - current.pending.beatAtMs >= silentAfterMs) {
      await undoAbandoned(path, current, ring, budget, log);
      return;
    }
    await pauseBeforeRetry(budget);
    current = await find(at(environmentStateRecord, ...partsOf(path)));
  }
}

async function undoAbandoned(
  path: EnvironmentPath,
  state: EnvironmentState,
  ring: KeyRing,
  budget: RetryBudget,
  log: Log,
): Promise<void> {
  const { pending } = state;
  if (pending === undefined) return;
  const claim: Claim = {
    path,
    changeId: randomUUID(),
    environmentId: state.id,
    revision: state.revision,
    keyVersion: ring.keyVersion,
  };
  try {
    await transact(
      [
        update(
          at(environmentStateRecord, ...partsOf(path)),
          {
            set: {
              pending: { changeId: claim.changeId, revision: pending.revision, beatAtMs: Date.now() },
              keyVersion: ring.keyVersion,
            },
          },
          {
            if: {
              'pending.changeId': equals(pending.changeId),
              'pending.beatAtMs': equals(pending.beatAtMs),
              keyVersion: atMost(ring.keyVersion),
            },
          },
        ),
      ],
      budget,
    );
    log.warn('undoing a change whose writer fell silent', { environmentId: state.id, revision: pending.revision });
    await undoClaimed(claim, ring, budget);
    await giveUpClaim(claim, budget);
  } catch (error) {
    // Its writer was alive after all, or somebody else is undoing it.
    if (!(error instanceof ConditionFailed)) throw error;
  }
}

/**
 * Restores every head that was stamped later than the claim's revision from the history. What it writes carries at least
 * the ring's key version, as everything does that is written after the state has it. Runs until a read finds nothing more
 * to restore, so it can be repeated and takes in a last step of the dead writer that became visible late.
 * @throws ConditionFailed when the claim was taken over, or its change is committed
 */
export async function undoClaimed(claim: Claim, ring: KeyRing, budget: RetryBudget): Promise<void> {
  for (;;) {
    const [, ...items] = await queryItems(ranges.environmentHeads(...partsOf(claim.path)));
    const stamped = items.map(item => headRecord.parse(item)).filter(head => head.revision > claim.revision);
    if (stamped.length === 0) return;
    const before = await readAll(
      stamped.map(({ key, version }) => at(versionRecord, ...partsOf(claim.path), key, version - 1)),
    );
    const writes: SizedWrite[] = [];
    for (const [index, head] of stamped.entries()) {
      const read = at(headRecord, ...partsOf(claim.path), head.key);
      if (head.version === 1) {
        writes.push({ write: remove(read), bytes: headBytes(head) });
        continue;
      }
      const version = before[index];
      if (version === undefined || version.revision > claim.revision) {
        throw new Error(
          `${head.key} of environment ${claim.environmentId} has no version ${head.version - 1} of revision ${claim.revision} to go back to.`,
        );
      }
      const restored = await underCurrentKey(headOf(version), claim.environmentId, ring);
      writes.push({ write: put(read, restored), bytes: headBytes(restored) });
    }
    await writeUnderClaim(claim, writes, budget);
  }
}

async function underCurrentKey(head: HeadRecord, environmentId: string, ring: KeyRing): Promise<HeadRecord> {
  if (head.keyVersion === undefined || head.keyVersion >= ring.keyVersion) return head;
  const value = await ring.open(environmentId, head);
  const sealed = await ring.seal(value, { environmentId, key: head.key, version: head.version });
  return { ...head, sealed, keyVersion: ring.keyVersion };
}
