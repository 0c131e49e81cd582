import * as z from 'zod';
import { entity } from '../entity.ts';
import { keys } from '../keys.ts';

/**
 * The number of entries of one action up to `countedTo`, grouped by the day they expire. Expired entries are no longer
 * counted, even if DynamoDB has not removed them yet.
 */
export const auditCountRecord = entity('auditCount', keys.auditCount, {
  /** Sort key of the newest counted entry. */
  countedTo: z.string(),
  /** The number of entries per expiry day: days since the epoch, or `never`. */
  byExpiryDay: z.record(z.string(), z.int()),
});

export type AuditCountRecord = ReturnType<typeof auditCountRecord.parse>;
