import * as z from 'zod';
import { invalidRequest } from '../core/errors.ts';
import { timeOf } from './scan.ts';

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
