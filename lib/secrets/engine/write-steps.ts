import { maximumWritesPerTransaction, transact, type Write } from '../../table/write.ts';
import { checkFence, maximumFences } from './fencing.ts';
import type { Lease } from './lease.ts';

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
 * the lease is still held. Each lane checks a copy of the fencing token of its own, because DynamoDB cancels transactions
 * that meet at one item (Developer Guide, "Transaction conflict handling").
 * @throws ConditionFailed when the lease was taken over. No step is under way any more when this returns or throws.
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
  const ends = await Promise.allSettled(
    Array.from({ length: Math.min(lanes, lease.fences) }, (_, lane) => runLane(lane)),
  );
  const failed = ends.find(end => end.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}
