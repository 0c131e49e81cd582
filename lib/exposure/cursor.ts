import * as z from 'zod';
import { invalidRequest } from '../core/errors.ts';

const Cursor = z.strictObject({
  /** The page is about entries from this time on. */
  from: z.iso.datetime({ precision: 3 }),
  /** Before this time, if the page begun there could not be returned at once: its secrets after these. */
  to: z.iso.datetime({ precision: 3 }).optional(),
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
  const invalid = () => invalidRequest([{ path: 'after', message: 'must be the `next` of an earlier answer' }]);
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
