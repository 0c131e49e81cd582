import * as z from 'zod';
import { ExpiresAt, entity } from '../table/entity.ts';
import { keys } from '../table/keys.ts';

/** One audit entry. Never holds a value of a secret; keys are names. */
export const auditRecord = entity({
  kind: 'audit',
  key: keys.auditEntry,
  schema: z.object({
    id: z.string(),
    action: z.string(),
    // The system has neither id nor e-mail.
    actor: z.object({
      id: z.string().nullable(),
      email: z.string().nullable(),
      type: z.string(),
      tokenId: z.string().optional(),
    }),
    target: z.object({ type: z.string(), id: z.string(), name: z.string() }),
    environment: z.object({ id: z.string(), slug: z.string() }).optional(),
    keys: z.array(z.string()).optional(),
    revision: z.int().optional(),
    ip: z.string(),
    userAgent: z.string(),
    requestId: z.string(),
    createdAt: z.string(),
    expiresAt: ExpiresAt.optional(),
  }),
});
export type AuditRecord = ReturnType<typeof auditRecord.parse>;
