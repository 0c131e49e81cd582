import * as z from 'zod';
import { contract, created, ok, succeeds } from '../contract.ts';
import { Name, Timestamp, Uuid } from '../fields/text.ts';
import {
  Challenge,
  challengeExample,
  FirstRecoveryCodes,
  PresentedChallenge,
  recoveryCodesExample,
} from './credentials.ts';

const Bytes = z.string().regex(/^[A-Za-z0-9_-]*$/, { message: 'must be base64url without padding' });

export const Passkey = z
  .object({
    id: Uuid.meta({ description: 'Passkey identifier.', example: '4b8e2f6a-9c1d-4e70-a3b5-7f0d2c9e6a18' }),
    name: Name.meta({ description: 'The user’s name for it.', example: 'laptop' }),
    createdAt: Timestamp.describe('When it was added.'),
    lastUsedAt: Timestamp.nullable().describe('When it was last used to log in; null if never.'),
    counterWentBackAt: Timestamp.nullable().describe(
      'When its counter of uses last failed to increase: it was moved or copied. Null if never.',
    ),
  })
  .meta({ id: 'Passkey', description: 'A user’s passkey (WebAuthn).' });
export type Passkey = z.infer<typeof Passkey>;

/** Bytes as a client sends them: not empty, and bounded. */
const sentBytes = (maximum: number) => Bytes.min(1).max(maximum);

const publicKey = z.literal('public-key').describe('Always `public-key`.');

/**
 * What the browser's call returns. Browsers write it (`PublicKeyCredential.toJSON`), and later levels of WebAuthn may add
 * members. Unlike our own bodies, it may therefore have unknown members, which are dropped.
 */
function credentialOf<Response extends z.ZodRawShape>(id: string, call: 'create' | 'get', response: Response) {
  const clientDataJSON = sentBytes(4096).meta({
    description: 'The data that the browser signed, including the challenge and the origin.',
    example: 'eyJ0eXBlIjoid2ViYXV0aG4uZ2V0In0',
  });
  return z
    .object({
      id: sentBytes(1400).meta({ description: 'The credential’s id.', example: 'EXAMPLEcredentialId' }),
      rawId: sentBytes(1400).meta({ description: 'The same as `id`.', example: 'EXAMPLEcredentialId' }),
      type: publicKey,
      response: z.object({ clientDataJSON, ...response }).describe('The authenticator’s response.'),
    })
    .meta({ id, description: `The result of \`navigator.credentials.${call}\`, as its \`toJSON\` returns it.` });
}

export const NewPasskeyCredential = credentialOf('NewPasskeyCredential', 'create', {
  attestationObject: sentBytes(16_384).meta({ description: 'The attested public key.', example: 'o2NmbXRkbm9uZQ' }),
  transports: z
    .array(z.string().max(32))
    .max(16)
    .optional()
    .meta({ description: 'The transports that the authenticator supports.', example: ['internal'] }),
});
export type NewPasskeyCredential = z.infer<typeof NewPasskeyCredential>;

export const PasskeyAssertion = credentialOf('PasskeyAssertion', 'get', {
  authenticatorData: sentBytes(4096).meta({
    description: 'The authenticator’s data about itself and the user.',
    example: 'SZYN5YgOjGh0NBcPZHZgW4',
  }),
  signature: sentBytes(4096).meta({ description: 'The authenticator’s signature.', example: 'MEUCIQDEXAMPLE' }),
  userHandle: sentBytes(128).optional().meta({
    description: 'The user the passkey belongs to. Required to log in with a passkey alone.',
    example: 'NWYwYzlhNTItN2IxZQ',
  }),
});
export type PasskeyAssertion = z.infer<typeof PasskeyAssertion>;

/*
 * Options for the browser's WebAuthn calls, with the names and formats of WebAuthn, level 3
 * (`PublicKeyCredentialCreationOptionsJSON` and `PublicKeyCredentialRequestOptionsJSON`).
 */

const credentialDescriptor = z.object({
  type: publicKey,
  id: Bytes.meta({ description: 'The credential’s id.', example: 'EXAMPLEcredentialId' }),
  transports: z.array(z.string()).meta({ description: 'The authenticator’s transports.', example: ['internal'] }),
});

const optionMembers = {
  challenge: Bytes.meta({ description: 'The bytes that the authenticator signs.', example: 'RVhBTVBMRS1jaGFsbGVuZ2U' }),
  timeout: z.int().meta({ description: 'Milliseconds until the challenge expires.', example: 300_000 }),
};

export const PasskeyRequestOptions = z
  .object({
    ...optionMembers,
    rpId: z.string().meta({ description: 'The dashboard’s host.', example: 'app.example.com' }),
    allowCredentials: z.array(credentialDescriptor).describe('The accepted passkeys; if empty, any for this site.'),
    userVerification: z.literal('required').describe('The authenticator must verify the user.'),
  })
  .meta({ id: 'PasskeyRequestOptions', description: 'The input of `parseRequestOptionsFromJSON`.' });
export type PasskeyRequestOptions = z.infer<typeof PasskeyRequestOptions>;

export const PasskeyCreationOptions = z
  .object({
    ...optionMembers,
    rp: z
      .object({
        id: z.string().meta({ description: 'The dashboard’s host.', example: 'app.example.com' }),
        name: z.string().meta({ description: 'The service’s name.', example: 'Holdfast' }),
      })
      .describe('The relying party.'),
    user: z
      .object({
        id: Bytes.meta({ description: 'The account’s identifier in passkeys.', example: 'NWYwYzlhNTItN2IxZQ' }),
        name: z.string().meta({ description: 'The account’s e-mail address.', example: 'ada@example.com' }),
        displayName: z.string().meta({ description: 'The account’s name.', example: 'Ada' }),
      })
      .describe('The account.'),
    pubKeyCredParams: z
      .array(
        z.object({ type: publicKey, alg: z.int().meta({ description: 'A COSE algorithm identifier.', example: -7 }) }),
      )
      .describe('The accepted algorithms.'),
    excludeCredentials: z.array(credentialDescriptor).describe('The account’s existing passkeys.'),
    authenticatorSelection: z
      .object({
        residentKey: z.literal('required').describe('It must be discoverable, to log in without an e-mail address.'),
        requireResidentKey: z.literal(true).describe('The same as `residentKey`, for older browsers.'),
        userVerification: z.literal('required').describe('The authenticator must verify the user.'),
      })
      .describe('Requirements for the authenticator.'),
    attestation: z.literal('none').describe('No attestation by a manufacturer is required.'),
  })
  .meta({ id: 'PasskeyCreationOptions', description: 'The input of `parseCreationOptionsFromJSON`.' });
export type PasskeyCreationOptions = z.infer<typeof PasskeyCreationOptions>;

export const startPasskey = contract({
  operationId: 'start-passkey',
  route: 'POST /v1/auth/passkeys/options',
  summary: 'Start to add a passkey',
  description: 'Returns a challenge for a new passkey. Send the browser’s response to `POST /v1/auth/passkeys`.',
  access: { kind: 'account', tokens: 'session', narrowestToken: 'none', fresh: 'always' },
  responses: ok({
    description: 'The challenge.',
    body: z.object({ challenge: Challenge, publicKey: PasskeyCreationOptions }),
    example: { publicKey: { excludeCredentials: [] } },
  }),
  errors: ['email_not_verified'],
  uses: { table: { Query: ['USER'], PutItem: ['CHALLENGE'] }, dashboardOrigin: true },
});

const credentialExample = { id: 'EXAMPLEcredentialId', rawId: 'EXAMPLEcredentialId', type: 'public-key' } as const;

export const addPasskey = contract({
  operationId: 'add-passkey',
  route: 'POST /v1/auth/passkeys',
  summary: 'Add a passkey',
  description:
    'Verifies the browser’s response to the challenge and adds the passkey. An account can have up to 20. The ' +
    'passkey counts as a second factor and can also be used to log in on its own. Adding an account’s first ' +
    'factor also returns ten recovery codes. Requires a verified e-mail address. The user gets an e-mail with a ' +
    'link that removes the passkey again. These e-mails are limited to five an hour; if one can’t be sent, no ' +
    'passkey is added. Passkeys of other accounts are rejected.',
  access: { kind: 'account', tokens: 'session', narrowestToken: 'none', fresh: 'always' },
  body: z.strictObject({
    challenge: PresentedChallenge,
    name: Name.meta({ description: 'A name for the passkey.', example: 'laptop' }),
    passkey: NewPasskeyCredential,
  }),
  bodyExample: {
    challenge: challengeExample,
    name: 'laptop',
    passkey: {
      ...credentialExample,
      response: {
        clientDataJSON: 'eyJ0eXBlIjoid2ViYXV0aG4uZ2V0In0',
        attestationObject: 'o2NmbXRkbm9uZQ',
        transports: ['internal'],
      },
    },
  },
  responses: created({
    description: 'The passkey.',
    body: z.object({ passkey: Passkey, recoveryCodes: FirstRecoveryCodes }),
    example: { recoveryCodes: recoveryCodesExample },
  }),
  errors: ['email_not_verified', 'invalid_token', 'passkey_taken', 'rate_limited'],
  uses: {
    table: {
      GetItem: ['CHALLENGE', 'USER'],
      PutItem: ['CHALLENGE', 'PASSKEY', 'USER'],
      UpdateItem: ['RATE'],
      DeleteItem: ['CHALLENGE', 'PASSKEY', 'USER'],
    },
    dashboardOrigin: true,
    mail: true,
  },
});

export const listPasskeys = contract({
  operationId: 'list-passkeys',
  route: 'GET /v1/auth/passkeys',
  summary: 'List passkeys',
  description: 'Lists the caller’s passkeys, newest first.',
  access: { kind: 'account', tokens: 'session', narrowestToken: 'none' },
  responses: ok({ description: 'Passkeys.', body: z.object({ passkeys: z.array(Passkey).describe('Newest first.') }) }),
  uses: { table: { Query: ['USER'] } },
});

export const removePasskey = contract({
  operationId: 'remove-passkey',
  route: 'DELETE /v1/auth/passkeys/{passkeyId}',
  summary: 'Remove a passkey',
  description:
    'The passkey stops working at once. Removing the last factor also deletes the recovery codes, and the account’s ' +
    'tokens no longer count as created with a second factor. The user is notified by e-mail.',
  access: { kind: 'account', tokens: 'session', narrowestToken: 'none', fresh: 'always' },
  responses: succeeds('The passkey was removed.'),
  uses: {
    table: {
      GetItem: ['USER'],
      BatchGetItem: ['ORG'],
      Query: ['ORG', 'USER'],
      ConditionCheckItem: ['ORG', 'USER'],
      PutItem: ['REVOCATIONS'],
      UpdateItem: ['RATE'],
      DeleteItem: ['PASSKEY', 'USER'],
    },
    mail: true,
  },
});
