import * as z from 'zod';
import { entity } from '../entity.ts';
import { keys } from '../keys.ts';

/**
 * How many entries of one action there are, as far as somebody counted: those up to `countedTo`, each counted once, by
 * the day on which they expire. What expired since drops out by its day, whether DynamoDB has removed it or not.
 */
export const auditCountRecord = entity({
  kind: 'auditCount',
  key: keys.auditCount,
  schema: z.object({
    /** Sort key of the newest entry that was counted. */
    countedTo: z.string(),
    /** Days since the epoch, or `never` → entries. */
    byExpiryDay: z.record(z.string(), z.int()),
  }),
});

export type AuditCountRecord = ReturnType<typeof auditCountRecord.parse>;
