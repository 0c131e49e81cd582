import * as z from 'zod';
import { equals } from '../expressions.ts';

/**
 * On something that was deleted and can still be restored, next to the status `deleting`, which keeps every request
 * out. With that status and without it, its erasure has begun.
 */
export const Kept = z.object({
  deletedBy: z.object({ id: z.string(), email: z.string() }),
  deletedAt: z.string(),
  /** It can be restored until then. */
  erasedAt: z.string(),
});
export type Kept = z.infer<typeof Kept>;

interface Keepable {
  id: string;
  status: 'active' | 'deleting';
  kept?: Kept | undefined;
}

export type KeptRecord<R extends Keepable> = R & { kept: Kept };

export function isKept<R extends Keepable>(record: R): record is KeptRecord<R> {
  return record.status === 'deleting' && record.kept !== undefined;
}

/** Whether it takes up its place: what is kept counts towards the plan's limits. */
export function isCounted(record: Pick<Keepable, 'status' | 'kept'>): boolean {
  return record.status === 'active' || record.kept !== undefined;
}

export function isKeptUntilLater({ kept }: { kept: Kept }): boolean {
  return Date.now() < Date.parse(kept.erasedAt);
}

/** The condition of whatever ends this keeping: of a restore and an erasure, only the first one can hold. */
export function isStillKept({ id, kept }: { id: string; kept: Kept }) {
  return { id: equals(id), status: equals('deleting'), 'kept.deletedAt': equals(kept.deletedAt) } as const;
}
