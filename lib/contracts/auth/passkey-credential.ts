import * as z from 'zod';
import { Bytes } from './passkey-bytes.ts';

/** As a client sends bytes: not empty, and bounded. */
const sentBytes = (maximum: number) => Bytes.min(1).max(maximum);

const credentialMembers = {
  id: sentBytes(1400).meta({ description: 'The credential’s id.', example: 'EXAMPLEcredentialId' }),
  rawId: sentBytes(1400).meta({ description: 'The same.', example: 'EXAMPLEcredentialId' }),
  type: z.literal('public-key').meta({ description: 'The only type there is.' }),
};

const clientDataJSON = sentBytes(4096).meta({
  description: 'What the browser signed: challenge and origin.',
  example: 'eyJ0eXBlIjoid2ViYXV0aG4uZ2V0In0',
});

/*
 * A browser writes these two (`PublicKeyCredential.toJSON`), and a later level of WebAuthn may add members to them. So
 * unlike our own bodies they may have members that are not known here, which are dropped.
 */
export const NewPasskeyCredential = z
  .object({
    ...credentialMembers,
    response: z
      .object({
        clientDataJSON,
        attestationObject: sentBytes(16_384).meta({
          description: 'The new public key and who vouches for it.',
          example: 'o2NmbXRkbm9uZQ',
        }),
        transports: z
          .array(z.string().max(32))
          .max(16)
          .optional()
          .meta({ description: 'How the authenticator can be reached.', example: ['internal'] }),
      })
      .meta({ description: 'What the authenticator answered.' }),
  })
  .meta({ id: 'NewPasskeyCredential', description: 'What `navigator.credentials.create` gave, as its `toJSON` does.' });
export type NewPasskeyCredential = z.infer<typeof NewPasskeyCredential>;

export const PasskeyAssertion = z
  .object({
    ...credentialMembers,
    response: z
      .object({
        clientDataJSON,
        authenticatorData: sentBytes(4096).meta({
          description: 'What the authenticator says of itself and of the user.',
          example: 'SZYN5YgOjGh0NBcPZHZgW4',
        }),
        signature: sentBytes(4096).meta({ description: 'The signature over both.', example: 'MEUCIQDEXAMPLE' }),
        userHandle: sentBytes(128).optional().meta({
          description: 'Whose passkey it is. A log-in with a passkey alone needs it.',
          example: 'NWYwYzlhNTItN2IxZQ',
        }),
      })
      .meta({ description: 'What the authenticator answered.' }),
  })
  .meta({ id: 'PasskeyAssertion', description: 'What `navigator.credentials.get` gave, as its `toJSON` does.' });
export type PasskeyAssertion = z.infer<typeof PasskeyAssertion>;
