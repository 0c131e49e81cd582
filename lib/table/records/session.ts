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
    expiresAt: ExpiresAt,
  }),
});

export type SessionRecord = ReturnType<typeof sessionRecord.parse>;
