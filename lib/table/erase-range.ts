import type { Key } from './entity.ts';
import { queryPage, type Range, removeAll } from './store.ts';

/** The work left for a background step before it must queue the next one. */
export interface StepBudget {
  /** Items that it may still remove. */
  items: number;
}

/** A step of background work covers at most this many items, which takes a second or two. */
export const itemsPerStep = 500;

/**
 * Removes the items of a range, within the step's budget. It can be resumed without a cursor.
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
