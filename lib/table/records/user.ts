import * as z from 'zod';
import { Bytes, entity } from '../entity.ts';
import { asRead, type Condition, equals, exists } from '../expressions.ts';
import { keys } from '../keys.ts';

/** An account. Every session and reset link carries its `sessionEpoch`, so raising it ends them all in one write. */
export const userRecord = entity({
  kind: 'user',
  key: keys.user,
  oldestFormat: 2,
  schema: z.object({
    id: z.string(),
    email: z.string(),
    name: z.string(),
    emailVerified: z.boolean(),
    /** No function has the right to write this attribute: only an operator's command sets it. */
    isAdmin: z.boolean().optional(),
    passwordHash: z.string(),
    sessionEpoch: z.int(),
    /**
     * Raised with each token and organization that the account makes, so that parallel requests cannot pass a limit, and
     * with the removal of its last factor, so that none of its tokens keeps the mark of one.
     */
    creations: z.int(),
    /** How many passkeys there are; absent if there is none, so that a condition can name what was read. */
    passkeyCount: z.int().optional(),
    /** The authenticator app's secret, sealed by KMS, and the time step of the last code that was used. */
    totp: z
      .object({
        sealed: Bytes,
        lastStep: z.int(),
        /** The step of the code that confirmed it and was answered with recovery codes, until they are asked for again. */
        answeredStep: z.int().optional(),
      })
      .optional(),
    /** A secret that is not confirmed by a code yet. */
    pendingTotp: z.object({ sealed: Bytes, expiresAt: z.int() }).optional(),
    /** SHA-256 hashes of the unused recovery codes. */
    recoveryCodes: z.set(z.string()).optional(),
    /** The number of the change that made them. */
    recoveryCodesFrom: z.int().optional(),
    /** The last change of factors. The id tells the request that made it from others, even if it was executed late. */
    factorChange: z.object({ number: z.int(), id: z.string() }).optional(),
    createdAt: z.string(),
  }),
});

export type UserRecord = ReturnType<typeof userRecord.parse>;

/** The account's password and its number of creations are as they were when it was read. */
export function isUnchanged({ sessionEpoch, creations }: UserRecord): Condition<UserRecord> {
  return { sessionEpoch: equals(sessionEpoch), creations: equals(creations) };
}

/** What a change of the second factors may change. */
export const factorNames = ['passkeyCount', 'totp', 'pendingTotp', 'recoveryCodes', 'recoveryCodesFrom'] as const;

export type Factors = Partial<Pick<UserRecord, (typeof factorNames)[number]>>;

/** The account's password and second factors are as they were when it was read. */
export function factorsUnchanged(user: UserRecord): Condition<UserRecord> {
  return { pk: exists, ...asRead(user, ['sessionEpoch', 'passkeyCount', 'totp', 'recoveryCodes']) };
}

/** Recovery codes stand in for a factor and are none. */
export function hasSecondFactor({ passkeyCount, totp }: Pick<UserRecord, 'passkeyCount' | 'totp'>): boolean {
  return passkeyCount !== undefined || totp !== undefined;
}

export const emailRecord = entity({
  kind: 'email',
  key: keys.email,
  schema: z.object({ userId: z.string() }),
});

/** The id that is read when there is no such account, so that both cases make the same calls. */
export const nobody = '00000000-0000-0000-0000-000000000000';
