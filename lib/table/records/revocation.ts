import * as z from 'zod';
import { ExpiresAt, entity } from '../entity.ts';
import { keys } from '../keys.ts';

const Keys = z.array(z.object({ pk: z.string(), sk: z.string() }));

/**
 * What one transaction took away. A table that is restored to an earlier moment lacks it, so an operator's command reads
 * these from the old table and repeats them. It names items and holds none of their contents.
 */
export const revocationRecord = entity('revocation', keys.revocation, {
  /** ISO 8601, from before the transaction. */
  at: z.string(),
  removed: Keys,
  changed: Keys,
  /** What records it, such as its audit entries. */
  added: Keys,
  expiresAt: ExpiresAt,
});
export type RevocationRecord = ReturnType<typeof revocationRecord.parse>;
