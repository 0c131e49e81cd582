import * as z from 'zod';
import { ExpiresAt, entity } from '../table/entity.ts';
import { keys } from '../table/keys.ts';
import { AuditAction } from './actions.ts';
import { actorTypes, targetTypes } from './parties.ts';

/** One audit entry. Never holds a value of a secret; keys are names. */
export const auditRecord = entity({
  kind: 'audit',
  key: keys.auditEntry,
  schema: z.object({
    id: z.string(),
    action: AuditAction,
    // The system has neither id nor e-mail.
    actor: z.object({
      id: z.string().nullable(),
      email: z.string().nullable(),
      type: z.enum(actorTypes),
      tokenId: z.string().optional(),
    }),
    target: z.object({ type: z.enum(targetTypes), id: z.string(), name: z.string() }),
    environment: z.object({ id: z.string(), slug: z.string() }).optional(),
    keys: z.array(z.string()).optional(),
    keysOmitted: z.int().optional(),
    revision: z.int().optional(),
    ip: z.string(),
    userAgent: z.string(),
    requestId: z.string(),
    createdAt: z.string(),
    expiresAt: ExpiresAt.optional(),
  }),
});
export type AuditRecord = ReturnType<typeof auditRecord.parse>;

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
