import type { Log } from '../../core/logger.ts';
import { type Condition, equals, exists, lessThan } from '../../table/expressions.ts';
import type { EnvironmentPath } from '../../table/keys.ts';
import { find } from '../../table/read.ts';
import type { EnvironmentState } from '../../table/records/environment.ts';
import { withDeadline } from '../../table/retry.ts';
import { retryOnConditionFailed, transact, transactIfHolds, update } from '../../table/write.ts';
import type { FenceCopies, Fenced } from './fencing.ts';
import { fenced, maximumFences, notRisen, putFences, removeFences, stateAt } from './fencing.ts';

/** One writer's right to write or undo a large change: the state has its fencing token and a `pending`. */
export interface Lease extends Fenced {
  revision: number;
  fences: number;
  heartbeat: number;
}

export const isHeld = (lease: Lease): Condition<EnvironmentState> => ({ ...notRisen(lease), pending: exists });

export function newLease(path: EnvironmentPath, state: EnvironmentState, fences: number): Lease {
  return { ...fenced(path, state), fence: state.fence + 1, revision: state.revision, fences, heartbeat: 1 };
}

/** @throws ConditionFailed if the environment was changed, deleted or leased since it was read */
export async function acquire(lease: Lease): Promise<void> {
  const isSame = { ...notRisen({ ...lease, fence: lease.fence - 1 }), status: equals('active') };
  await transact([
    update(stateAt(lease.path), { set: { fence: lease.fence, pending: pendingOf(lease) } }, { if: isSame }),
    ...putFences(lease, lease.fences),
  ]);
}

function pendingOf({ revision, fences, heartbeat }: Lease): NonNullable<EnvironmentState['pending']> {
  return { revision: revision + 1, fences, heartbeat };
}

function leaseIn(path: EnvironmentPath, state: EnvironmentState): Lease | undefined {
  const { pending, revision } = state;
  if (pending === undefined) return undefined;
  return { ...fenced(path, state), revision, fences: pending.fences, heartbeat: pending.heartbeat };
}

/**
 * How long a lease must show no sign of life before it is taken over: three heartbeats. Constant, so that changes
 * succeed again within five seconds of a crash, even after many.
 */
export const leaseMs = 3000;

/**
 * Takes over the change in progress.
 * @throws ConditionFailed if its writer has shown a sign of life since `state` was read, or another writer was first
 */
export async function takeOver(path: EnvironmentPath, state: EnvironmentState, copies: FenceCopies): Promise<Lease> {
  const lease = leaseIn(path, state);
  if (lease === undefined) throw new Error(`No change of environment ${state.id} is under way.`);
  return raiseFence(lease, { if: { 'pending.heartbeat': equals(lease.heartbeat) }, copies });
}

/**
 * Raises the fencing token of a lease, so that all writes sent under the old one are rejected.
 * @throws ConditionFailed if the lease was taken over or has ended
 */
export async function raiseFence(
  lease: Lease,
  more: {
    if?: Condition<EnvironmentState>;
    copies?: FenceCopies;
    set?: Partial<Pick<EnvironmentState, 'keyVersion'>>;
    abandoned?: true;
  } = {},
): Promise<Lease> {
  const raised = { ...lease, fence: lease.fence + 1, fences: maximumFences, heartbeat: lease.heartbeat + 1 };
  const set = { ...more.set, fence: raised.fence, pending: { ...pendingOf(raised), abandoned: more.abandoned } };
  await transact([
    update(stateAt(lease.path), { set }, { if: { ...isHeld(lease), ...more.if } }),
    ...putFences(raised, raised.fences, more.copies),
  ]);
  return raised;
}

/** Ends a lease that has nothing left to undo. @throws ConditionFailed if it was taken over */
export async function releaseLease(lease: Lease): Promise<void> {
  await transact([
    update(stateAt(lease.path), { set: { pending: undefined } }, { if: isHeld(lease) }),
    ...removeFences(lease, lease.fences),
  ]);
}

/**
 * Blocks writes of values under a data key older than `keyVersion`: changes already decided are rejected, and writers
 * that decide again need the new key.
 */
export async function fenceEnvironment(path: EnvironmentPath, projectId: string, keyVersion: number): Promise<void> {
  await retryOnConditionFailed(async () => {
    const state = await find(stateAt(path));
    // The slugs may name another project's environment by now.
    // A closed environment counts too, because it may be restored.
    if (state?.projectId !== projectId || state.keyVersion >= keyVersion) return;
    const lease = leaseIn(path, state);
    if (lease !== undefined) {
      await raiseFence(lease, { set: { keyVersion }, abandoned: true });
      return;
    }
    const set = { fence: state.fence + 1, keyVersion };
    await transact([update(stateAt(path), { set }, { if: notRisen(fenced(path, state)) })]);
  });
}

const heartbeatMs = 1000;

/** Sends heartbeats during the work, which show that the writer is alive even in a long step. */
export async function withHeartbeat<T>(lease: Lease, log: Log, work: () => Promise<T>): Promise<T> {
  let { heartbeat } = lease;
  const timer = setInterval(() => {
    heartbeat += 1;
    void beat(lease, heartbeat, log);
  }, heartbeatMs);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}

async function beat(lease: Lease, heartbeat: number, log: Log): Promise<void> {
  // A late heartbeat must not overwrite a newer one.
  const condition: Condition<EnvironmentState> = { ...isHeld(lease), 'pending.heartbeat': lessThan(heartbeat) };
  const write = update(stateAt(lease.path), { set: { 'pending.heartbeat': heartbeat } }, { if: condition });
  try {
    // If it doesn't hold, the lease was lost, so the next step will be rejected.
    await withDeadline(() => transactIfHolds([write]), heartbeatMs);
  } catch (error) {
    log.warn('a heartbeat failed', { environmentId: lease.environmentId, reason: String(error) });
  }
}
