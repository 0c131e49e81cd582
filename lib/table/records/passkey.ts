import * as z from 'zod';
import { Bytes, entity } from '../entity.ts';
import { keys } from '../keys.ts';

/** A passkey of a user. Its key includes the user, so it is not found under another account. */
export const passkeyRecord = entity('passkey', keys.passkey, {
  id: z.string(),
  userId: z.string(),
  name: z.string(),
  /** From the authenticator, in base64url. */
  credentialId: z.string(),
  /** COSE_Key (RFC 9052). */
  publicKey: Bytes,
  /** The authenticator's count of uses; 0 if it has none. */
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
