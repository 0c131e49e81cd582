import * as z from 'zod';
import { Bytes, entity } from '../entity.ts';
import { keys } from '../keys.ts';

/** A passkey of a user. It is addressed by its user and its id, so one account's passkey is not found under another. */
export const passkeyRecord = entity({
  kind: 'passkey',
  key: keys.passkey,
  schema: z.object({
    id: z.string(),
    userId: z.string(),
    name: z.string(),
    /** As the authenticator made it, in base64url. */
    credentialId: z.string(),
    /** COSE_Key (RFC 9052). */
    publicKey: Bytes,
    /** The authenticator's count of uses; 0 where it keeps none. */
    counter: z.int(),
    transports: z.array(z.string()),
    createdAt: z.string(),
    lastUsedAt: z.string().nullable(),
  }),
});

/** The account that has the passkey: an authenticator's credential opens one account and no other. */
export const passkeyOwnerRecord = entity({
  kind: 'passkeyOwner',
  key: keys.passkeyOwner,
  schema: z.object({ userId: z.string() }),
});

export type PasskeyRecord = ReturnType<typeof passkeyRecord.parse>;
