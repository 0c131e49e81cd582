import * as z from 'zod';
import { entity } from '../entity.ts';
import { absent, type Condition, equals, exists } from '../expressions.ts';
import { keys } from '../keys.ts';

/** An account. Every session and reset link carries its `sessionEpoch`, so raising it ends them all in one write. */
export const userRecord = entity({
  kind: 'user',
  key: keys.user,
  schema: z.object({
    id: z.string(),
    email: z.string(),
    name: z.string(),
    emailVerified: z.boolean(),
    /** No function has the right to write this attribute: only an operator's command sets it. */
    isAdmin: z.boolean().optional(),
    passwordHash: z.string(),
    sessionEpoch: z.int(),
    /** Raised with each token and organization that the account makes, so that parallel requests cannot pass a limit. */
    creations: z.int(),
    createdAt: z.string(),
  }),
  upgrades: [user => ({ creations: 0, ...user })],
});

export type UserRecord = ReturnType<typeof userRecord.parse>;

/** The account's password and its number of creations are as they were when it was read. */
export function isUnchanged({ sessionEpoch, creations }: UserRecord): Condition<UserRecord>[] {
  const known = { pk: exists, sessionEpoch: equals(sessionEpoch) };
  const counted = { ...known, creations: equals(creations) };
  // Accounts from before creations were counted have no such attribute.
  return creations === 0 ? [{ ...known, creations: absent }, counted] : [counted];
}

export const emailRecord = entity({
  kind: 'email',
  key: keys.email,
  schema: z.object({ userId: z.string() }),
});

/** The id that is read when there is no such account, so that both cases make the same calls. */
export const nobody = '00000000-0000-0000-0000-000000000000';
