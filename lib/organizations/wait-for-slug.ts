import { setTimeout as sleep } from 'node:timers/promises';
import { find, type Read } from '../table/read.ts';
import { SlugBeingErased } from '../table/records/retired-slug.ts';
import { reauthorize, retryBudget } from '../table/retry.ts';

/** Most erasures end earlier. A longer wait would occupy a function for too long. */
const longestWaitMs = 10_000;
const pollMs = 250;

type Holder = Read<{ status: 'active' | 'deleting' }>;

/**
 * Runs `create`. While its slug belongs to a resource that is being erased, waits for the end of the erasure,
 * re-authorizes the caller and runs it again.
 * @throws slug_taken if the erasure takes longer
 */
export async function waitForSlug<T>(holder: Holder, create: () => Promise<T>): Promise<T> {
  const budget = retryBudget();
  const endsAt = Math.min(budget.endsAt, Date.now() + longestWaitMs);
  for (;;) {
    try {
      return await create();
    } catch (error) {
      if (!(error instanceof SlugBeingErased)) throw error;
      if (!(await isErasedBefore(endsAt, holder))) throw error.taken;
      await reauthorize();
    }
  }
}

async function isErasedBefore(endsAt: number, holder: Holder): Promise<boolean> {
  while ((await find(holder))?.status === 'deleting') {
    if (Date.now() + pollMs >= endsAt) return false;
    await sleep(pollMs);
  }
  return true;
}
