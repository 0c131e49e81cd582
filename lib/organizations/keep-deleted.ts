import type { MemberContext } from '../access/request-context.ts';
import { ApiError } from '../core/errors.ts';
import { dayMs } from '../core/time.ts';
import type { Kept } from '../table/records/kept.ts';

/*
 * A deletion that can be undone for some days is the first transaction of any other: it changes the status, so that no
 * request gets in, and leaves everything as it is. `kept` says until when. Whatever removes `kept` decides: a restore
 * also makes the status active again, an erasure leaves it, and the job erases the rest.
 */

/** What a deletion records; undefined for one that erases at once, with `keepDays` 0. */
export function keepFor({ principal }: Pick<MemberContext, 'principal'>, keepDays: number): Kept | undefined {
  if (keepDays === 0) return undefined;
  const nowMs = Date.now();
  return {
    deletedBy: { id: principal.userId, email: principal.email },
    deletedAt: new Date(nowMs).toISOString(),
    erasedAt: new Date(nowMs + keepDays * dayMs).toISOString(),
  };
}

/** For the audit entry of a deletion, and of what ends the keeping. */
export function detailsOf({ deletedAt, erasedAt }: Kept) {
  return { deletedAt, erasedAt };
}

export function deletedNotFound(): ApiError {
  return new ApiError('deleted_not_found', 'Nothing deleted with this id can be restored: it was restored or erased.');
}
