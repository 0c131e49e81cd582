import { atMost, type Condition, equals } from '../../table/expressions.ts';
import { type EnvironmentState, environmentStateRecord } from '../../table/records/environment.ts';
import type { RetryBudget } from '../../table/retry.ts';
import { at, maximumWritesPerTransaction, transact, update, type Write } from '../../table/store.ts';
import { type EnvironmentPath, partsOf } from './environment-path.ts';

/** The right of one writer to write a large change: it stands as `pending` in the environment's state. */
export interface Claim {
  path: EnvironmentPath;
  changeId: string;
  environmentId: string;
  /** The revision that stays in force until the change commits. */
  revision: number;
  /** What the writer seals with. */
  keyVersion: number;
}

/** The claim was not taken over, and the state takes values sealed under the writer's data key. */
export function holds({ changeId, keyVersion }: Claim): Condition<EnvironmentState> {
  return { 'pending.changeId': equals(changeId), keyVersion: atMost(keyVersion) };
}

/** A write with an upper bound of its item's size. */
export interface SizedWrite {
  write: Write;
  bytes: number;
}

/** DynamoDB takes 4 MB a transaction; the rest is room for what is not measured. */
export const maximumBytesPerTransaction = 3_500_000;

/**
 * Writes in as few transactions as take them, one after the other, for they share the state. Each one fails as a whole
 * unless the claim is still held, and its update of the state is the heartbeat that keeps others from taking it over.
 * @throws ConditionFailed when the claim was taken over, or a rotation demands a newer data key
 */
export async function writeUnderClaim(claim: Claim, writes: readonly SizedWrite[], budget: RetryBudget): Promise<void> {
  for (const step of stepsOf(writes)) {
    const heartbeat = update(
      at(environmentStateRecord, ...partsOf(claim.path)),
      { set: { 'pending.beatAtMs': Date.now() } },
      { if: holds(claim) },
    );
    await transact([heartbeat, ...step.map(({ write }) => write)], budget);
  }
}

export async function giveUpClaim(claim: Claim, budget: RetryBudget): Promise<void> {
  await transact(
    [update(at(environmentStateRecord, ...partsOf(claim.path)), { set: { pending: undefined } }, { if: holds(claim) })],
    budget,
  );
}

/** Steps that each leave room for the heartbeat. */
function stepsOf(writes: readonly SizedWrite[]): SizedWrite[][] {
  const steps: SizedWrite[][] = [];
  let room = 0;
  let roomBytes = 0;
  for (const write of writes) {
    if (room === 0 || write.bytes > roomBytes) {
      steps.push([]);
      room = maximumWritesPerTransaction - 1;
      roomBytes = maximumBytesPerTransaction;
    }
    steps.at(-1)?.push(write);
    room -= 1;
    roomBytes -= write.bytes;
  }
  return steps;
}
