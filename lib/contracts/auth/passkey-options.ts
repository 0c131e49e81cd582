import * as z from 'zod';
import { Bytes } from './passkey-bytes.ts';

/*
 * Options for the browser's WebAuthn calls, with the names and formats of WebAuthn, level 3
 * (`PublicKeyCredentialCreationOptionsJSON` and `PublicKeyCredentialRequestOptionsJSON`).
 */

const credentialDescriptor = z.object({
  type: z.literal('public-key').meta({ description: 'Always `public-key`.' }),
  id: Bytes.meta({ description: 'The credential’s id.', example: 'EXAMPLEcredentialId' }),
  transports: z
    .array(z.string())
    .meta({ description: 'The transports that the authenticator supports.', example: ['internal'] }),
});

const optionMembers = {
  challenge: Bytes.meta({ description: 'The bytes that the authenticator signs.', example: 'RVhBTVBMRS1jaGFsbGVuZ2U' }),
  timeout: z.int().meta({ description: 'Milliseconds until the challenge expires.', example: 300_000 }),
};

export const PasskeyRequestOptions = z
  .object({
    ...optionMembers,
    rpId: z.string().meta({ description: 'The dashboard’s host.', example: 'app.example.com' }),
    allowCredentials: z.array(credentialDescriptor).meta({
      description: 'The passkeys that are accepted; if empty, any passkey for this site.',
    }),
    userVerification: z.literal('required').meta({ description: 'The authenticator must verify the user.' }),
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
      .meta({ description: 'The relying party.' }),
    user: z
      .object({
        id: Bytes.meta({ description: 'The account’s identifier in passkeys.', example: 'NWYwYzlhNTItN2IxZQ' }),
        name: z.string().meta({ description: 'The account’s e-mail address.', example: 'ada@example.com' }),
        displayName: z.string().meta({ description: 'The account’s name.', example: 'Ada' }),
      })
      .meta({ description: 'The account.' }),
    pubKeyCredParams: z
      .array(
        z.object({
          type: z.literal('public-key').meta({ description: 'Always `public-key`.' }),
          alg: z.int().meta({ description: 'A COSE algorithm identifier.', example: -7 }),
        }),
      )
      .meta({ description: 'The accepted algorithms.' }),
    excludeCredentials: z.array(credentialDescriptor).meta({ description: 'The account’s existing passkeys.' }),
    authenticatorSelection: z
      .object({
        residentKey: z
          .literal('required')
          .meta({ description: 'The passkey must be discoverable, so that it can log in without an e-mail address.' }),
        requireResidentKey: z.literal(true).meta({ description: 'The same as `residentKey`, for older browsers.' }),
        userVerification: z.literal('required').meta({ description: 'The authenticator must verify the user.' }),
      })
      .meta({ description: 'Requirements for the authenticator.' }),
    attestation: z.literal('none').meta({ description: 'No attestation by a manufacturer is required.' }),
  })
  .meta({
    id: 'PasskeyCreationOptions',
    description: 'For `navigator.credentials.create` (`parseCreationOptionsFromJSON`).',
  });
export type PasskeyCreationOptions = z.infer<typeof PasskeyCreationOptions>;
