import * as z from 'zod';
import { invalidRequest } from '../core/errors.ts';
import { timeOf } from './scan-entries.ts';

/** See `scan-entries.ts`. */
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
  /** The page is about entries after this position. */
  from: Position,
  /** Before this one, if what belongs to the page begun there did not fit: the secrets after this one. */
  to: Position.optional(),
  /** How many more matches to skip, if not even the skipped ones were all found. */
  skip: z.int().min(0).max(10_000).optional(),
  environment: z.uuid().optional(),
  key: z.string().max(256).optional(),
});

/** Where the next page begins. It holds nothing that its reader did not see, so it is not secret. */
export type Cursor = z.infer<typeof Cursor>;

export function writeCursor(cursor: Cursor): string {
  return Buffer.from(JSON.stringify(cursor)).toString('base64url');
}

/** @throws invalid_request */
export function readCursor(text: string): Cursor {
  const invalid = () => invalidRequest([{ path: 'after', message: 'must be the `next` of an earlier response' }]);
  let content: unknown;
  try {
    content = JSON.parse(Buffer.from(text, 'base64url').toString());
  } catch {
    throw invalid();
  }
  const { data } = Cursor.safeParse(content);
  if (data === undefined) throw invalid();
  return data;
}
