import * as z from 'zod';
import { entity } from '../entity.ts';
import { keys } from '../keys.ts';

/** An account. Every session carries its `sessionEpoch`, so raising it ends all sessions in one write. */
export const userRecord = entity({
  kind: 'user',
  key: keys.user,
  schema: z.object({
    id: z.string(),
    email: z.string(),
    name: z.string(),
    emailVerified: z.boolean(),
    isAdmin: z.boolean(),
    passwordHash: z.string(),
    sessionEpoch: z.int(),
    createdAt: z.string(),
  }),
});

export type UserRecord = ReturnType<typeof userRecord.parse>;

export const emailRecord = entity({
  kind: 'email',
  key: keys.email,
  schema: z.object({ userId: z.string() }),
});
