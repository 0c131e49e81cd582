import * as z from 'zod';
import { AuditAction, AuditDetails, actorTypes, targetTypes } from '../../contracts/fields/audit-action.ts';
import { ExpiresAt, entity } from '../entity.ts';
import { keys } from '../keys.ts';

/** One audit entry. Never contains a secret's value, only the names of keys. */
export const auditRecord = entity('audit', keys.auditEntry, {
  id: z.string(),
  action: AuditAction,
  // The system has no id and no e-mail address.
  actor: z.object({
    id: z.string().nullable(),
    email: z.string().nullable(),
    name: z.string().optional(),
    type: z.enum(actorTypes),
    tokenId: z.string().optional(),
    sessionId: z.string().optional(),
  }),
  target: z.object({ type: z.enum(targetTypes), id: z.string(), name: z.string() }),
  project: z.object({ id: z.string(), slug: z.string() }).optional(),
  environment: z.object({ id: z.string(), slug: z.string() }).optional(),
  keys: z.array(z.string()).optional(),
  keysOmitted: z.int().optional(),
  unchanged: z.array(z.string()).optional(),
  revision: z.int().optional(),
  message: z.string().optional(),
  details: AuditDetails.optional(),
  from: z.object({ id: z.string(), slug: z.string(), revision: z.int() }).optional(),
  ip: z.string(),
  userAgent: z.string(),
  requestId: z.string(),
  createdAt: z.string(),
  expiresAt: ExpiresAt.optional(),
});
export type AuditRecord = ReturnType<typeof auditRecord.parse>;

/** The partitions for the entries of an organization with too many reads for one. Others have no such item. */
export const auditPartitionsRecord = entity('auditPartitions', keys.auditPartitions, { partitions: z.int() });

/**
 * The number of entries of an action up to `countedTo`, by the day they expire: expired entries no longer count, even
 * if DynamoDB has not removed them yet.
 */
export const auditCountRecord = entity('auditCount', keys.auditCount, {
  countedTo: z.string(),
  /** The number of entries per expiry day: days since the epoch, or `never`. */
  byExpiryDay: z.record(z.string(), z.int()),
});
export type AuditCountRecord = ReturnType<typeof auditCountRecord.parse>;

/** How far an organization's entries are in the archive. Written by the archive's function only. */
export const archiveCursorRecord = entity('archiveCursor', keys.archiveCursor, {
  organizationId: z.string(),
  /** A position (`lib/audit/scan.ts`): every entry up to it is in the archive. */
  from: z.string(),
  /** Of the newest object: its number, from 1 on, and its digest; 0 and empty without one. */
  number: z.int(),
  digest: z.string(),
});
export type ArchiveCursorRecord = ReturnType<typeof archiveCursorRecord.parse>;
