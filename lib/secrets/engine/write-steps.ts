import { chunksWithin } from '../../core/chunks-of.ts';
import { maximumWritesPerTransaction, transact, type Write } from '../../table/write.ts';
import { checkFence, maximumFences } from './fencing.ts';
import type { Lease } from './lease.ts';

/** A write, or several that belong in the same step, with an upper bound on the items' size. */
export interface SizedWrite {
  write: Write | readonly Write[];
  bytes: number;
}

/** One write checks the fence. A step also shows that the writer is alive, so it must not take many seconds. */
const maximumPerStep = { count: maximumWritesPerTransaction - 1, bytes: 256_000 };

/** Divides the writes of a large change into steps, and decides how many run in parallel. Pure. */
export function planSteps(writes: readonly SizedWrite[]): { steps: Write[][]; lanes: number } {
  const sizeOf = ({ write, bytes }: SizedWrite) => ({ count: [write].flat().length, bytes });
  const steps = chunksWithin(maximumPerStep, writes, sizeOf).map(step => step.flatMap(({ write }) => write));
  return { steps, lanes: Math.min(maximumFences, steps.length) };
}

/**
 * Runs the steps in parallel lanes. A step is one transaction, which requires that the lease is still held. Each lane
 * checks its own copy of the token, because DynamoDB cancels concurrent transactions on the same item (Developer Guide,
 * "Transaction conflict handling").
 * @throws ConditionFailed if the lease was taken over. When this returns or throws, no step is in progress.
 */
export async function writeSteps(lease: Lease, steps: readonly Write[][], lanes: number): Promise<void> {
  const waiting = [...steps];
  const runLane = async (lane: number) => {
    for (let step = waiting.shift(); step !== undefined; step = waiting.shift()) {
      try {
        await transact([checkFence(lease, lane), ...step]);
      } catch (error) {
        waiting.length = 0;
        throw error;
      }
    }
  };
  const running = Array.from({ length: Math.min(lanes, lease.fences) }, (_, lane) => runLane(lane));
  const failed = (await Promise.allSettled(running)).find(end => end.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}
