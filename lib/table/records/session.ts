import * as z from 'zod';
import { ExpiresAt, entity } from '../entity.ts';
import { keys } from '../keys.ts';
import { SessionProvider } from './via-provider.ts';

export const sessionRecord = entity(
  'session',
  keys.session,
  {
    /** Of the session that a step-up replaced. Absent if there was none: then it follows from the secret's hash. */
    id: z.string().optional(),
    userId: z.string(),
    epoch: z.int(),
    createdAt: z.string(),
    /** Accurate to the hour. */
    lastUsedAt: z.string(),
    /** The IP address of that last use. */
    ip: z.string(),
    userAgent: z.string(),
    /** When its user last authenticated. */
    provedAt: z.string(),
    /** Whether that included a second factor. */
    secondFactor: z.boolean(),
    /** The organizations whose required provider its log-in bypassed with a settled factor (see `break-glass.ts`). */
    brokeGlassIn: z.array(z.string()).optional(),
    /** The restored table in which the session began; absent in the installation's own table. */
    restoredTable: z.string().optional(),
    /** Absent for any other log-in. */
    provider: SessionProvider.optional(),
    expiresAt: ExpiresAt,
  },
  { oldestFormat: 2 },
);

export type SessionRecord = ReturnType<typeof sessionRecord.parse>;
