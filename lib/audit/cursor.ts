import * as z from 'zod';
import { invalidRequest } from '../core/errors.ts';
import { minuteMs } from '../core/time.ts';
import { positionOf, type StoredEntry, timeOf } from './scan.ts';

const Time = z.iso.datetime({ precision: 3 });

/** See `scan.ts`. */
const Position = z
  .string()
  .regex(/^[^#]+(?:#[0-9a-f-]{36})?$/)
  .refine(position => Time.safeParse(timeOf(position)).success);

/** Where the next page begins. It contains nothing that its reader has not seen, so it is not secret. */
const Cursor = z.strictObject({
  from: Position,
  /** The end of the period, if an earlier page began it but had no room for all of its secrets. */
  to: Position.optional(),
  /** The number of matches that the next page still has to skip. */
  skip: z.int().min(0).max(10_000).optional(),
  /** The last secret of the earlier page. */
  environment: z.uuid().optional(),
  key: z.string().max(256).optional(),
});
export type Cursor = z.infer<typeof Cursor>;

/**
 * Where a page ends that its reader continues from, if the scan ended before the whole period was read. That may be at
 * an entry that a reader of a part of the log must not know of. Such a reader continues from the last entry of the part,
 * or if there is none, from the minute.
 * @param readTo where the scan ended
 */
export function endOfScan(
  readTo: string,
  { last, from, newestFirst = false }: { last: StoredEntry | undefined; from: string; newestFirst?: boolean },
): string {
  if (last !== undefined) return positionOf(last);
  const minutes = Date.parse(timeOf(readTo)) / minuteMs;
  const end = new Date((Math.floor(minutes) + (newestFirst ? 1 : 0)) * minuteMs).toISOString();
  // Within one minute of so many entries, nothing else would make progress.
  return (newestFirst ? end < from : end > from) ? end : readTo;
}

export function writeCursor(cursor: Cursor): string {
  return Buffer.from(JSON.stringify(cursor)).toString('base64url');
}

/** @throws invalid_request */
export function readCursor(text: string): Cursor {
  try {
    return Cursor.parse(JSON.parse(Buffer.from(text, 'base64url').toString()));
  } catch {
    throw invalidRequest([{ path: 'after', message: 'must be the `next` of an earlier response' }]);
  }
}
