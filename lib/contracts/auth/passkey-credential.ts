import * as z from 'zod';
import { Bytes } from './passkey-bytes.ts';

/** Bytes as a client sends them: not empty, and bounded. */
const sentBytes = (maximum: number) => Bytes.min(1).max(maximum);

const credentialMembers = {
  id: sentBytes(1400).meta({ description: 'The credential’s id.', example: 'EXAMPLEcredentialId' }),
  rawId: sentBytes(1400).meta({ description: 'The same as `id`.', example: 'EXAMPLEcredentialId' }),
  type: z.literal('public-key').meta({ description: 'Always `public-key`.' }),
};

const clientDataJSON = sentBytes(4096).meta({
  description: 'The data that the browser signed, including the challenge and the origin.',
  example: 'eyJ0eXBlIjoid2ViYXV0aG4uZ2V0In0',
});

/*
 * Browsers write these two (`PublicKeyCredential.toJSON`), and later levels of WebAuthn may add members. Unlike our own
 * bodies, they may therefore have unknown members, which are dropped.
 */
export const NewPasskeyCredential = z
  .object({
    ...credentialMembers,
    response: z
      .object({
        clientDataJSON,
        attestationObject: sentBytes(16_384).meta({
          description: 'The new public key and its attestation.',
          example: 'o2NmbXRkbm9uZQ',
        }),
        transports: z
          .array(z.string().max(32))
          .max(16)
          .optional()
          .meta({ description: 'The transports that the authenticator supports.', example: ['internal'] }),
      })
      .meta({ description: 'The authenticator’s response.' }),
  })
  .meta({
    id: 'NewPasskeyCredential',
    description: 'The result of `navigator.credentials.create`, as its `toJSON` returns it.',
  });
export type NewPasskeyCredential = z.infer<typeof NewPasskeyCredential>;

export const PasskeyAssertion = z
  .object({
    ...credentialMembers,
    response: z
      .object({
        clientDataJSON,
        authenticatorData: sentBytes(4096).meta({
          description: 'The authenticator’s data about itself and the user.',
          example: 'SZYN5YgOjGh0NBcPZHZgW4',
        }),
        signature: sentBytes(4096).meta({
          description: 'The signature over `authenticatorData` and the hash of `clientDataJSON`.',
          example: 'MEUCIQDEXAMPLE',
        }),
        userHandle: sentBytes(128).optional().meta({
          description: 'The user the passkey belongs to. Required to log in with a passkey alone.',
          example: 'NWYwYzlhNTItN2IxZQ',
        }),
      })
      .meta({ description: 'The authenticator’s response.' }),
  })
  .meta({
    id: 'PasskeyAssertion',
    description: 'The result of `navigator.credentials.get`, as its `toJSON` returns it.',
  });
export type PasskeyAssertion = z.infer<typeof PasskeyAssertion>;
