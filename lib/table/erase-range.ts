import type { Key } from './entity.ts';
import { queryPage, type Range, removeAll } from './store.ts';

/** What a background step may still do before it must hand over to the next one. */
export interface StepBudget {
  /** Items that may still be touched. */
  items: number;
}

/** One step of background work touches at most this many items: a second or two of work. */
export const itemsPerStep = 500;

/**
 * Removes the items of a range, within the step's budget. Resumable by nature: what is gone needs no cursor.
 * @returns true when nothing of the range is left
 */
export async function eraseRange(range: Range, budget: StepBudget): Promise<boolean> {
  for (;;) {
    if (budget.items <= 0) return false;
    const page = await queryPage({ ...range, pageSize: Math.min(budget.items, 100) });
    await removeAll(page.items as unknown as Key[]);
    budget.items -= page.items.length;
    if (page.next === undefined) return true;
  }
}
