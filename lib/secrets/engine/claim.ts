import type { Log } from '../../core/logger.ts';
import { type Condition, equals, exists, lessThan } from '../../table/expressions.ts';
import type { EnvironmentState, FenceRecord } from '../../table/records/environment.ts';
import { withDeadline } from '../../table/retry.ts';
import { ConditionFailed, maximumWritesPerTransaction, transact, update, type Write } from '../../table/store.ts';
import type { EnvironmentPath } from './environment-path.ts';
import {
  checkFence,
  type Fenced,
  fenced,
  maximumFences,
  notRisen,
  putFences,
  removeFences,
  stateAt,
} from './fencing.ts';

/** The right of one writer to write a large change, or to undo one: the state has its fencing token, and a `pending`. */
export interface Claim extends Fenced {
  /** The revision that stays in force until the change commits. */
  revision: number;
  /** Copies of the token. */
  fences: number;
  heartbeat: number;
}

/** Condition on the state: the claim was not taken over and has not ended. */
export function isHeld(claim: Claim): Condition<EnvironmentState> {
  return { ...notRisen(claim), pending: exists };
}

/** The claim that a writer is about to make on an environment as it was read. */
export function newClaim(path: EnvironmentPath, state: EnvironmentState, fences: number): Claim {
  return { ...fenced(path, state), fence: state.fence + 1, revision: state.revision, fences, heartbeat: 1 };
}

/** @throws ConditionFailed when the environment was changed, claimed or deleted since it was read */
export async function acquire(claim: Claim): Promise<void> {
  const before = { ...notRisen({ ...claim, fence: claim.fence - 1 }), status: equals('active') };
  await transact([
    update(stateAt(claim.path), { set: { fence: claim.fence, pending: pendingOf(claim) } }, { if: before }),
    ...putFences(claim, claim.fences),
  ]);
}

function pendingOf({ revision, fences, heartbeat }: Claim): NonNullable<EnvironmentState['pending']> {
  return { revision: revision + 1, fences, heartbeat };
}

/** The claim that the state shows. */
export function claimIn(path: EnvironmentPath, state: EnvironmentState): Claim | undefined {
  const { pending, revision } = state;
  if (pending === undefined) return undefined;
  return { ...fenced(path, state), revision, fences: pending.fences, heartbeat: pending.heartbeat };
}

/** How long a claim must show no sign of life before it is taken over. Each takeover doubles it, so slow work gets its time. */
const firstLeaseMs = 4000;
/** A request that waits this long still has time to undo what it finds. */
const longestLeaseMs = 12_000;

export function leaseOf({ leaseMs = firstLeaseMs }: Pick<EnvironmentState, 'leaseMs'>): number {
  return leaseMs;
}

/**
 * Takes over the change that `state` shows as under way.
 * @throws ConditionFailed if its writer has shown a sign of life since, or another writer was first
 */
export async function takeOver(
  path: EnvironmentPath,
  state: EnvironmentState,
  copies: readonly (FenceRecord | undefined)[],
): Promise<Claim> {
  const claim = claimIn(path, state);
  if (claim === undefined) throw new Error(`No change of environment ${state.id} is under way.`);
  return raiseFence(claim, {
    if: { 'pending.heartbeat': equals(claim.heartbeat) },
    copies,
    set: { leaseMs: Math.min(longestLeaseMs, 2 * leaseOf(state)) },
  });
}

/**
 * Raises the fencing token of a claim: from then on nothing is executed that was sent under the old one.
 * @throws ConditionFailed when the claim was taken over or has ended
 */
export async function raiseFence(
  claim: Claim,
  more: {
    if?: Condition<EnvironmentState>;
    copies?: readonly (FenceRecord | undefined)[];
    set?: Partial<Pick<EnvironmentState, 'leaseMs' | 'keyVersion'>>;
    abandoned?: true;
  } = {},
): Promise<Claim> {
  const raised = { ...claim, fence: claim.fence + 1, fences: maximumFences, heartbeat: claim.heartbeat + 1 };
  const pending = { ...pendingOf(raised), ...(more.abandoned === undefined ? {} : { abandoned: more.abandoned }) };
  await transact([
    update(
      stateAt(claim.path),
      { set: { ...more.set, fence: raised.fence, pending } },
      { if: { ...isHeld(claim), ...more.if } },
    ),
    ...putFences(raised, raised.fences, more.copies),
  ]);
  return raised;
}

/** Ends a claim under which nothing is left to undo. @throws ConditionFailed when it was taken over */
export async function releaseClaim(claim: Claim): Promise<void> {
  await transact([
    update(stateAt(claim.path), { set: { pending: undefined } }, { if: isHeld(claim) }),
    ...removeFences(claim, claim.fences),
  ]);
}

const heartbeatMs = 1000;

/** Does the work and sends heartbeats, which show that the writer is alive even during a long step. */
export async function withHeartbeat<T>(claim: Claim, log: Log, work: () => Promise<T>): Promise<T> {
  let { heartbeat } = claim;
  const timer = setInterval(() => {
    heartbeat += 1;
    void beat(claim, heartbeat, log);
  }, heartbeatMs);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}

async function beat(claim: Claim, heartbeat: number, log: Log): Promise<void> {
  // A late heartbeat must not overwrite a newer one.
  const condition: Condition<EnvironmentState> = { ...isHeld(claim), 'pending.heartbeat': lessThan(heartbeat) };
  try {
    await withDeadline(
      () => transact([update(stateAt(claim.path), { set: { 'pending.heartbeat': heartbeat } }, { if: condition })]),
      heartbeatMs,
    );
  } catch (error) {
    // If the claim is lost, the next step is refused.
    if (error instanceof ConditionFailed) return;
    log.warn('a heartbeat failed', { environmentId: claim.environmentId, reason: String(error) });
  }
}

/** A write, or some that belong into one step, with an upper bound of the items' size. */
export interface SizedWrite {
  write: Write | readonly Write[];
  bytes: number;
}

/** A step counts as a sign of life, so on a partition that takes 1,000 units a second it must not take many seconds. */
const maximumBytesPerStep = 256_000;

/** How the writes of a large change are cut into steps, and how many of these run side by side. Pure. */
export function planSteps(writes: readonly SizedWrite[]): { steps: Write[][]; lanes: number } {
  const steps: { writes: Write[]; bytes: number }[] = [];
  for (const { write, bytes } of writes) {
    const together = [write].flat();
    const last = steps.at(-1);
    // One write of a transaction is the check of the fence.
    const fits =
      last !== undefined &&
      last.writes.length + together.length < maximumWritesPerTransaction &&
      last.bytes + bytes <= maximumBytesPerStep;
    if (fits) {
      last.writes.push(...together);
      last.bytes += bytes;
    } else steps.push({ writes: together, bytes });
  }
  return { steps: steps.map(step => step.writes), lanes: Math.min(maximumFences, steps.length) };
}

/**
 * Executes the steps in `lanes`, each lane one after the other. A step is one transaction that fails as a whole unless
 * the claim is still held. Each lane checks a copy of the fencing token of its own, because DynamoDB cancels transactions
 * that meet at one item (Developer Guide, "Transaction conflict handling").
 * @throws ConditionFailed when the claim was taken over. No step is under way any more when this returns or throws.
 */
export async function writeSteps(claim: Claim, steps: readonly Write[][], lanes: number): Promise<void> {
  const waiting = [...steps];
  const runLane = async (lane: number) => {
    for (let step = waiting.shift(); step !== undefined; step = waiting.shift()) {
      try {
        await transact([checkFence(claim, lane), ...step]);
      } catch (error) {
        waiting.length = 0;
        throw error;
      }
    }
  };
  const ends = await Promise.allSettled(
    Array.from({ length: Math.min(lanes, claim.fences) }, (_, lane) => runLane(lane)),
  );
  const failed = ends.find(end => end.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}
