import { chunksOf } from '../core/chunks-of.ts';
import type { Key } from '../table/entity.ts';
import { equals } from '../table/expressions.ts';
import { queryPage, type Range } from '../table/read.ts';
import { maximumWritesPerTransaction, remove, removeAll, transact, type Write } from '../table/write.ts';

export interface StepBudget {
  items: number;
}

/** One step of background work touches at most this many items, which takes a second or two. */
export const itemsPerStep = 500;

/** The job arrived before its change was visible; the queue redelivers it. */
export class NotYetCommitted extends Error {
  override readonly name = 'NotYetCommitted';
}

/** Another step has already erased everything, so the slug may have a new owner. */
class AlreadyErased extends Error {
  override readonly name = 'AlreadyErased';
}

/** Runs a step of an erasure. @returns undefined if another step has already finished all of it */
export async function unlessErased<T>(step: () => Promise<T>): Promise<T | undefined> {
  try {
    return await step();
  } catch (error) {
    if (!(error instanceof AlreadyErased)) throw error;
    return undefined;
  }
}

/**
 * Holds only while the slug belongs to the resource that is being erased. Every deletion by slug requires this, so a
 * late one can't touch items of the slug's next owner.
 */
export function isBeingErased(id: string) {
  const refused = () => new AlreadyErased(`${id} was erased in the meantime.`);
  return { if: { id: equals(id), status: equals('deleting') }, refused };
}

/**
 * Removes items in the given order, in transactions that begin with `fence`.
 * @throws AlreadyErased if the fence no longer holds; that transaction then removes nothing
 */
export async function eraseItems(keys: readonly Key[], fence: Write): Promise<void> {
  for (const chunk of chunksOf(maximumWritesPerTransaction - 1, keys)) {
    await transact([fence, ...chunk.map(({ pk, sk }) => remove({ key: { pk, sk } }))]);
  }
}

/** Removes all records of a range, each with the items that lead to it, within the step's budget. @returns true if none is left */
export async function eraseEach<R>(
  records: readonly R[],
  keysOf: (record: R) => Promise<Key[]> | Key[],
  budget: StepBudget,
  fence: Write,
): Promise<boolean> {
  for (const record of records) {
    if (budget.items <= 0) return false;
    const keys = await keysOf(record);
    budget.items -= keys.length;
    await eraseItems(keys, fence);
  }
  return true;
}

/**
 * Removes a range's items, within the step's budget. It needs no cursor, because erased items are gone.
 * @param fence undefined for a partition addressed by the job's own id, which no next owner of the slug shares
 * @returns true if nothing in the range is left
 */
export async function eraseRange(range: Range, budget: StepBudget, fence: Write | undefined): Promise<boolean> {
  for (;;) {
    if (budget.items <= 0) return false;
    // A page ends at 1 MB, so its items stay below the 4 MB limit of a transaction.
    const pageSize = Math.min(budget.items, maximumWritesPerTransaction - 1);
    const page = await queryPage({ ...range, pageSize });
    const keys = page.items as unknown as Key[];
    if (fence === undefined) await removeAll(keys);
    else await eraseItems(keys, fence);
    budget.items -= keys.length;
    // One more read finds items that moved to the end of the range while its last page was being erased.
    if (keys.length === 0) return true;
  }
}
