import * as z from 'zod';
import { daySeconds } from '../../core/time.ts';
import { Bytes, ExpiresAt, entity } from '../entity.ts';
import { keys } from '../keys.ts';

/** The hash of the one valid verification link. A newer link replaces it. */
export const verificationLinkRecord = entity('link', keys.verificationLink, { hash: z.string(), expiresAt: ExpiresAt });

/** A reset link. It is valid only in the session epoch in which it was mailed, so a new password ends all links. */
export const resetLinkRecord = entity('resetLink', keys.resetLink, { epoch: z.int(), expiresAt: ExpiresAt });

const Factor = z.discriminatedUnion('method', [
  z.object({ method: z.literal('passkey'), id: z.string(), credentialId: z.string() }),
  /** An authenticator app is identified by its sealed secret, which is unique. */
  z.object({ method: z.literal('totp'), sealed: Bytes }),
]);

/** One exact factor. */
export type Factor = z.output<typeof Factor>;

/** Whether two sealed secrets belong to the same authenticator app. Sealing a secret again gives different bytes. */
export function isSame(sealed: Uint8Array, other: Uint8Array | undefined): boolean {
  return other !== undefined && Buffer.from(sealed).equals(other);
}

export const undoSeconds = 7 * daySeconds;

/**
 * A link that removes a new factor. `change` is the number of the change that added it. While it is valid, the factor is
 * not settled (see `organizations/break-glass.ts`).
 */
export const undoLinkRecord = entity('undoLink', keys.undoLink, {
  factor: Factor,
  change: z.int(),
  /** Absent on links of earlier releases. */
  addedAt: z.string().optional(),
  expiresAt: ExpiresAt,
});

export type UndoLinkRecord = ReturnType<typeof undoLinkRecord.parse>;
