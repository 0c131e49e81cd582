import * as z from 'zod';
import { invalidRequest } from '../core/errors.ts';
import { timeOf } from './scan.ts';

/** See `scan.ts`. */
const Position = z
  .string()
  .regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z(?:#[0-9a-f-]{36})?$/)
  .refine(position => isTime(timeOf(position)));

/** Whether the calendar has such a day. */
function isTime(text: string): boolean {
  const ms = Date.parse(text);
  return !Number.isNaN(ms) && new Date(ms).toISOString() === text;
}

const Cursor = z.strictObject({
  /** The page covers entries after this position. */
  from: Position,
  /** And before this one, if an earlier page began the period but had no room for all of its secrets. */
  to: Position.optional(),
  /** The number of matches that the next page still has to skip. */
  skip: z.int().min(0).max(10_000).optional(),
  /** The last secret of the earlier page. */
  environment: z.uuid().optional(),
  key: z.string().max(256).optional(),
});

/** Where the next page begins. It contains nothing that its reader has not seen, so it is not secret. */
export type Cursor = z.infer<typeof Cursor>;

export function writeCursor(cursor: Cursor): string {
  return Buffer.from(JSON.stringify(cursor)).toString('base64url');
}

/** @throws invalid_request */
export function readCursor(text: string): Cursor {
  try {
    return Cursor.parse(JSON.parse(Buffer.from(text, 'base64url').toString()));
  } catch {
    throw invalidRequest([{ path: 'after', message: 'must be the `next` of an earlier answer' }]);
  }
}
