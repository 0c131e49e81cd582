import type { Log } from '../../core/logger.ts';
import { type Condition, equals, exists, lessThan } from '../../table/expressions.ts';
import type { EnvironmentState, FenceRecord } from '../../table/records/environment.ts';
import { withDeadline } from '../../table/retry.ts';
import { ConditionFailed, transact, update } from '../../table/write.ts';
import type { EnvironmentPath } from './environment-path.ts';
import { type Fenced, fenced, maximumFences, notRisen, putFences, removeFences, stateAt } from './fencing.ts';

/** The right of one writer to write a large change, or to undo one: the state has its fencing token, and a `pending`. */
export interface Lease extends Fenced {
  /** The revision that stays in force until the change commits. */
  revision: number;
  /** Copies of the token. */
  fences: number;
  heartbeat: number;
}

/** Condition on the state: the lease was not taken over and has not ended. */
export function isHeld(lease: Lease): Condition<EnvironmentState> {
  return { ...notRisen(lease), pending: exists };
}

/** The lease that a writer is about to take on an environment as it was read. */
export function newLease(path: EnvironmentPath, state: EnvironmentState, fences: number): Lease {
  return { ...fenced(path, state), fence: state.fence + 1, revision: state.revision, fences, heartbeat: 1 };
}

/** @throws ConditionFailed when the environment was changed, deleted or leased by another writer since it was read */
export async function acquire(lease: Lease): Promise<void> {
  const before = { ...notRisen({ ...lease, fence: lease.fence - 1 }), status: equals('active') };
  await transact([
    update(stateAt(lease.path), { set: { fence: lease.fence, pending: pendingOf(lease) } }, { if: before }),
    ...putFences(lease, lease.fences),
  ]);
}

function pendingOf({ revision, fences, heartbeat }: Lease): NonNullable<EnvironmentState['pending']> {
  return { revision: revision + 1, fences, heartbeat };
}

/** The lease that the state shows. */
export function leaseIn(path: EnvironmentPath, state: EnvironmentState): Lease | undefined {
  const { pending, revision } = state;
  if (pending === undefined) return undefined;
  return { ...fenced(path, state), revision, fences: pending.fences, heartbeat: pending.heartbeat };
}

/**
 * How long a lease must show no sign of life before it is taken over: three heartbeats. It never grows, so that an ordinary
 * change works within five seconds of a crash, however many there were before. Slow but honest work shows signs of life.
 */
export const leaseMs = 3000;

/**
 * Takes over the change that `state` shows as under way.
 * @throws ConditionFailed if its writer has shown a sign of life since, or another writer was first
 */
export async function takeOver(
  path: EnvironmentPath,
  state: EnvironmentState,
  copies: readonly (FenceRecord | undefined)[],
): Promise<Lease> {
  const lease = leaseIn(path, state);
  if (lease === undefined) throw new Error(`No change of environment ${state.id} is under way.`);
  return raiseFence(lease, {
    if: { 'pending.heartbeat': equals(lease.heartbeat) },
    copies,
  });
}

/**
 * Raises the fencing token of a lease: from then on nothing is executed that was sent under the old one.
 * @throws ConditionFailed when the lease was taken over or has ended
 */
export async function raiseFence(
  lease: Lease,
  more: {
    if?: Condition<EnvironmentState>;
    copies?: readonly (FenceRecord | undefined)[];
    set?: Partial<Pick<EnvironmentState, 'keyVersion'>>;
    abandoned?: true;
  } = {},
): Promise<Lease> {
  const raised = { ...lease, fence: lease.fence + 1, fences: maximumFences, heartbeat: lease.heartbeat + 1 };
  const pending = { ...pendingOf(raised), ...(more.abandoned === undefined ? {} : { abandoned: more.abandoned }) };
  await transact([
    update(
      stateAt(lease.path),
      { set: { ...more.set, fence: raised.fence, pending } },
      { if: { ...isHeld(lease), ...more.if } },
    ),
    ...putFences(raised, raised.fences, more.copies),
  ]);
  return raised;
}

/** Ends a lease under which nothing is left to undo. @throws ConditionFailed when it was taken over */
export async function releaseLease(lease: Lease): Promise<void> {
  await transact([
    update(stateAt(lease.path), { set: { pending: undefined } }, { if: isHeld(lease) }),
    ...removeFences(lease, lease.fences),
  ]);
}

const heartbeatMs = 1000;

/** Does the work and sends heartbeats, which show that the writer is alive even during a long step. */
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
  try {
    await withDeadline(
      () => transact([update(stateAt(lease.path), { set: { 'pending.heartbeat': heartbeat } }, { if: condition })]),
      heartbeatMs,
    );
  } catch (error) {
    // If the lease is lost, the next step is refused.
    if (error instanceof ConditionFailed) return;
    log.warn('a heartbeat failed', { environmentId: lease.environmentId, reason: String(error) });
  }
}
