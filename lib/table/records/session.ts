import * as z from 'zod';
import { ExpiresAt, entity } from '../entity.ts';
import { keys } from '../keys.ts';

export const sessionRecord = entity({
  kind: 'session',
  key: keys.session,
  schema: z.object({
    userId: z.string(),
    epoch: z.int(),
    createdAt: z.string(),
    /** To within an hour. */
    lastUsedAt: z.string(),
    /** The address of the last such use; null for sessions from before it was recorded. */
    ip: z.string().nullable(),
    userAgent: z.string().nullable(),
    /** When its user last proved who they are; absent: when the session began. */
    provedAt: z.string().optional(),
    /** Whether that took a second factor. */
    secondFactor: z.boolean().optional(),
    expiresAt: ExpiresAt,
  }),
  upgrades: [session => ({ lastUsedAt: session.createdAt, ip: null, userAgent: null, ...session })],
});

export type SessionRecord = ReturnType<typeof sessionRecord.parse>;
