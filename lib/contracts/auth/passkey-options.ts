import * as z from 'zod';
import { Bytes } from './passkey-bytes.ts';

/*
 * What the browser's WebAuthn calls take. Names and forms are those of WebAuthn, level 3
 * (`PublicKeyCredentialCreationOptionsJSON` and `PublicKeyCredentialRequestOptionsJSON`).
 */

const credentialDescriptor = z.object({
  type: z.literal('public-key').meta({ description: 'The only type there is.' }),
  id: Bytes.meta({ description: 'The credential’s id.', example: 'EXAMPLEcredentialId' }),
  transports: z.array(z.string()).meta({ description: 'How the authenticator can be reached.', example: ['internal'] }),
});

const optionMembers = {
  challenge: Bytes.meta({ description: 'What the authenticator signs.', example: 'RVhBTVBMRS1jaGFsbGVuZ2U' }),
  timeout: z.int().meta({ description: 'Milliseconds until the challenge expires.', example: 300_000 }),
};

export const PasskeyRequestOptions = z
  .object({
    ...optionMembers,
    rpId: z.string().meta({ description: 'The dashboard’s host.', example: 'app.example.com' }),
    allowCredentials: z.array(credentialDescriptor).meta({
      description: 'The passkeys that will do; empty: any of this site.',
    }),
    userVerification: z.literal('required').meta({ description: 'The authenticator must know its user.' }),
  })
  .meta({
    id: 'PasskeyRequestOptions',
    description: 'For `navigator.credentials.get` (`parseRequestOptionsFromJSON`).',
  });
export type PasskeyRequestOptions = z.infer<typeof PasskeyRequestOptions>;

export const PasskeyCreationOptions = z
  .object({
    ...optionMembers,
    rp: z
      .object({
        id: z.string().meta({ description: 'The dashboard’s host.', example: 'app.example.com' }),
        name: z.string().meta({ description: 'The service’s name.', example: 'Holdfast' }),
      })
      .meta({ description: 'The site.' }),
    user: z
      .object({
        id: Bytes.meta({ description: 'The account, as passkeys name it.', example: 'NWYwYzlhNTItN2IxZQ' }),
        name: z.string().meta({ description: 'The account’s e-mail address.', example: 'ada@example.com' }),
        displayName: z.string().meta({ description: 'The account’s name.', example: 'Ada' }),
      })
      .meta({ description: 'The account.' }),
    pubKeyCredParams: z
      .array(
        z.object({
          type: z.literal('public-key').meta({ description: 'The only type there is.' }),
          alg: z.int().meta({ description: 'A COSE algorithm.', example: -7 }),
        }),
      )
      .meta({ description: 'The algorithms that are taken.' }),
    excludeCredentials: z.array(credentialDescriptor).meta({ description: 'The passkeys that the account has.' }),
    authenticatorSelection: z
      .object({
        residentKey: z.literal('required').meta({ description: 'The passkey must name its user by itself.' }),
        requireResidentKey: z.literal(true).meta({ description: 'The same, for older browsers.' }),
        userVerification: z.literal('required').meta({ description: 'The authenticator must know its user.' }),
      })
      .meta({ description: 'What an authenticator must be able to do.' }),
    attestation: z.literal('none').meta({ description: 'No manufacturer has to vouch for the authenticator.' }),
  })
  .meta({
    id: 'PasskeyCreationOptions',
    description: 'For `navigator.credentials.create` (`parseCreationOptionsFromJSON`).',
  });
export type PasskeyCreationOptions = z.infer<typeof PasskeyCreationOptions>;
