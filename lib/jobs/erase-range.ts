import { chunksOf } from '../core/chunks-of.ts';
import type { Key } from '../table/entity.ts';
import { equals } from '../table/expressions.ts';
import { queryPage, type Range } from '../table/read.ts';
import { maximumWritesPerTransaction, remove, removeAll, transact, type Write } from '../table/write.ts';

/** What a background step may still do before the next one takes over. */
export interface StepBudget {
  /** Items that may still be touched. */
  items: number;
}

/** One step of background work touches at most this many items: a second or two of work. */
export const itemsPerStep = 500;

/** The job came before the change that it follows was visible; the queue hands it over again. */
export class NotYetCommitted extends Error {
  override readonly name = 'NotYetCommitted';
}

/** Another step has erased the last of it already, so the slug may belong to someone else now. */
export class AlreadyErased extends Error {
  override readonly name = 'AlreadyErased';
}

/**
 * Holds only while the thing under a slug is the one that is being erased. Every deletion of what is addressed by a slug
 * demands it in the same transaction, so a deletion that comes late touches nothing of what has the slug by then.
 */
export function isBeingErased(id: string) {
  return {
    if: { id: equals(id), status: equals('deleting') },
    refused: () => new AlreadyErased(`${id} was erased in the meantime.`),
  };
}

/**
 * Removes items in the order given, up to 99 in a transaction, each time with `fence` as its first write.
 * @throws AlreadyErased if the fence no longer holds; that transaction then removes nothing
 */
export async function eraseItems(keys: readonly Key[], fence: Write): Promise<void> {
  for (const chunk of chunksOf(maximumWritesPerTransaction - 1, keys)) {
    await transact([fence, ...chunk.map(({ pk, sk }) => remove({ key: { pk, sk } }))]);
  }
}

/**
 * Removes the items of a range, within the step's budget. It needs no cursor, because what it has removed is gone.
 * @param fence undefined for a partition addressed by the job's own id; an id that was found under the slug may be of
 * what has the slug by now
 * @returns true when nothing of the range is left
 */
export async function eraseRange(range: Range, budget: StepBudget, fence: Write | undefined): Promise<boolean> {
  for (;;) {
    if (budget.items <= 0) return false;
    // A page ends at 1 MB, so its items stay below the 4 MB that a transaction may touch.
    const pageSize = Math.min(budget.items, maximumWritesPerTransaction - 1);
    const page = await queryPage({ ...range, pageSize });
    const found = page.items as unknown as Key[];
    if (fence === undefined) await removeAll(found);
    else await eraseItems(found, fence);
    budget.items -= found.length;
    // What was moved to the end of the range while its last page was erased is found by one more read.
    if (found.length === 0) return true;
  }
}
