import * as z from 'zod';
import { entity } from '../entity.ts';
import { keys } from '../keys.ts';

/**
 * The number of entries of one action up to `countedTo`, by the day on which they expire. Entries that have expired since
 * drop out with their day, even where DynamoDB has not removed them yet.
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
