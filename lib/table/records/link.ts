import * as z from 'zod';
import { ExpiresAt, entity } from '../entity.ts';
import { keys } from '../keys.ts';

/** The hash of the one mailed link of a purpose that is valid; a newer link takes its place. */
export const linkRecord = entity({
  kind: 'link',
  key: keys.link,
  schema: z.object({ hash: z.string(), expiresAt: ExpiresAt }),
});
