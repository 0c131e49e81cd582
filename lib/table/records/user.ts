import * as z from 'zod';
import { daySeconds, epochSeconds, isOver } from '../../core/time.ts';
import { Bytes, ExpiresAt, entity } from '../entity.ts';
import { asRead, atMost, type Condition, equals, exists, isNew } from '../expressions.ts';
import { keys, rareKeys } from '../keys.ts';

/** An account. Sessions and reset links have its `sessionEpoch`, so raising it ends them all in one write. */
export const userRecord = entity(
  'user',
  keys.user,
  {
    id: z.string(),
    email: z.string(),
    /** How often the address has changed. Absent: never. */
    emailChanges: z.int().optional(),
    name: z.string(),
    emailVerified: z.boolean(),
    /** Functions have no permission to write this attribute; only an operator's command sets it. */
    isAdmin: z.boolean().optional(),
    /** `noPassword` for an account that its company's provider created, until its user sets one. */
    passwordHash: z.string(),
    sessionEpoch: z.int(),
    /** Raised when the account is recovered, which ends all its links to providers in one write. Absent is 0. */
    linkEpoch: z.int().optional(),
    /**
     * Raised when the account creates a token or an organization, so that parallel requests can't exceed a limit; when
     * its last factor is removed or a link to a provider ends, so that no new token counts as created with it; and when
     * it accepts an invitation, becomes an owner or gets another address, so that closing the account misses no role
     * as owner.
     */
    creations: z.int(),
    /** Absent if there are none, so that conditions can check what was read. */
    passkeyCount: z.int().optional(),
    /** The authenticator app's secret, encrypted by KMS, and the time step of the last used code. */
    totp: z
      .object({
        sealed: Bytes,
        lastStep: z.int(),
        /** The step of the confirming code that was answered with recovery codes, until new ones are requested. */
        answeredStep: z.int().optional(),
        /** A session of the account's own credential added it. Absent if it is unknown what did. */
        ownAddition: z.literal(true).optional(),
      })
      .optional(),
    /** A secret that no code has confirmed yet. */
    pendingTotp: z.object({ sealed: Bytes, expiresAt: z.int() }).optional(),
    /** SHA-256 hashes of the unused recovery codes. */
    recoveryCodes: z.set(z.string()).optional(),
    /** The number of the change that created them. */
    recoveryCodesFrom: z.int().optional(),
    /** The last change of factors. The id identifies the request that made it, even if it was executed late. */
    factorChange: z.object({ number: z.int(), id: z.string() }).optional(),
    /** Hashes of the networks from which the password was given, and when each was recorded. */
    logInNetworks: z.record(z.string(), z.string()).optional(),
    createdAt: z.string(),
  },
  { oldestFormat: 2 },
);
export type UserRecord = ReturnType<typeof userRecord.parse>;

/** The password and the number of creations have not changed since the account was read. */
export function isUnchanged({ sessionEpoch, creations }: UserRecord): Condition<UserRecord> {
  return { sessionEpoch: equals(sessionEpoch), creations: equals(creations) };
}

/** The attributes that a change of second factors may write. */
export const factorNames = ['passkeyCount', 'totp', 'pendingTotp', 'recoveryCodes', 'recoveryCodesFrom'] as const;

export type Factors = Partial<Pick<UserRecord, (typeof factorNames)[number]>>;

/** The password and second factors have not changed since the account was read. */
export function factorsUnchanged(user: UserRecord): Condition<UserRecord> {
  return { pk: exists, ...asRead(user, ['sessionEpoch', 'passkeyCount', 'totp', 'recoveryCodes']) };
}

/** Recovery codes only substitute for a factor, so they don't count. */
export function hasSecondFactor({ passkeyCount, totp }: Pick<UserRecord, 'passkeyCount' | 'totp'>): boolean {
  return passkeyCount !== undefined || totp !== undefined;
}

export const emailsChanged = ({ emailChanges = 0 }: Pick<UserRecord, 'emailChanges'>): number => emailChanges;

/**
 * From an address to its account. The earlier address of an account leads to `nobody` and is reserved for it until
 * `expiresAt`, as long as the change can be undone: older code finds no account there and lets nobody register it.
 */
export const emailRecord = entity('email', keys.email, {
  userId: z.string(),
  reservedFor: z.string().optional(),
  expiresAt: ExpiresAt.optional(),
});
export type EmailRecord = ReturnType<typeof emailRecord.parse>;

/** Whether an account can get the address: it is unknown, or no longer reserved for another one. */
export function isFreeAddress(stored: EmailRecord | undefined, userId?: string): boolean {
  if (stored?.reservedFor === undefined) return stored === undefined;
  return stored.reservedFor === userId || isOver(stored.expiresAt ?? Number.POSITIVE_INFINITY);
}

/** The same as a condition of the write that gives the address to an account. */
export function freeAddress(userId?: string): Condition<EmailRecord>[] {
  const lapsed = { reservedFor: exists, expiresAt: atMost(epochSeconds()) };
  return [isNew, lapsed, ...(userId === undefined ? [] : [{ reservedFor: equals(userId) }])];
}

/** Read in place of an unknown account, so that both cases make the same calls. */
export const nobody = '00000000-0000-0000-0000-000000000000';

/** A passkey of a user. Its key includes the user, so it is not found under another account. */
export const passkeyRecord = entity('passkey', keys.passkey, {
  id: z.string(),
  userId: z.string(),
  name: z.string(),
  credentialId: z.string(),
  publicKey: Bytes,
  counter: z.int(),
  transports: z.array(z.string()),
  createdAt: z.string(),
  lastUsedAt: z.string().nullable(),
  /** When an answer last had a counter that did not increase. */
  counterWentBackAt: z.string().optional(),
  /** A session of the account's own credential added it. Absent if it is unknown what did. */
  ownAddition: z.literal(true).optional(),
});

/** The passkey's account: a credential belongs to at most one account. */
export const passkeyOwnerRecord = entity('passkeyOwner', keys.passkeyOwner, { userId: z.string() });
export type PasskeyRecord = ReturnType<typeof passkeyRecord.parse>;

/** The hash of the one valid verification link. A newer link replaces it. */
export const verificationLinkRecord = entity('link', keys.verificationLink, { hash: z.string(), expiresAt: ExpiresAt });

/**
 * A reset link. It is valid only in the session epoch in which it was mailed, so a new password ends all links, and only
 * while the account has the address that it was mailed to.
 */
export const resetLinkRecord = entity('resetLink', keys.resetLink, {
  epoch: z.int(),
  /** The account's `emailChanges`. Absent: none, also in links of older code. */
  emailChanges: z.int().optional(),
  expiresAt: ExpiresAt,
});

const Factor = z.discriminatedUnion('method', [
  z.object({ method: z.literal('passkey'), id: z.string(), credentialId: z.string() }),
  /** An authenticator app is identified by its sealed secret, which is unique. */
  z.object({ method: z.literal('totp'), sealed: Bytes }),
]);

export type Factor = z.output<typeof Factor>;

/** Whether two sealed secrets belong to the same authenticator app. Sealing a secret again gives different bytes. */
export function isSame(sealed: Uint8Array, other: Uint8Array | undefined): boolean {
  return other !== undefined && Buffer.from(sealed).equals(other);
}

export const undoSeconds = 7 * daySeconds;

/** Removes a new factor, added by `change`. Until it expires, the factor is not settled (see `break-glass.ts`). */
export const undoLinkRecord = entity('undoLink', keys.undoLink, {
  factor: Factor,
  change: z.int(),
  addedAt: z.string().optional(),
  expiresAt: ExpiresAt,
});
export type UndoLinkRecord = ReturnType<typeof undoLinkRecord.parse>;

/** The one valid link that gives the account another address. A newer link replaces it, and a new password ends it. */
export const emailChangeRecord = entity('emailChange', rareKeys.emailChange, {
  hash: z.string(),
  email: z.string(),
  epoch: z.int(),
  /** The account's `emailChanges` when it was requested. */
  after: z.int(),
  expiresAt: ExpiresAt,
});

/** Gives the account back the address that the link was mailed to, with what is needed to take back later changes. */
export const emailUndoRecord = entity('emailUndo', rareKeys.emailUndo, {
  email: z.string(),
  emailVerified: z.boolean(),
  /** The account's `emailChanges` when the change was requested. */
  after: z.int(),
  /** The number of the last change of factors until then. */
  factorChange: z.int(),
  /** A digest of the stored password hash of then. */
  passwordDigest: z.string(),
  expiresAt: ExpiresAt,
});
export type EmailUndoRecord = ReturnType<typeof emailUndoRecord.parse>;
