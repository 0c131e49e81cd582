import * as z from 'zod';
import { User, userExample } from './auth.ts';
import { contract } from './contract.ts';
import { Success } from './fields/success.ts';
import { Name, Timestamp, text, Uuid } from './fields/text.ts';

/*
 * Second factors, and the log-ins and step-ups that need them. What a browser's WebAuthn calls take and give keeps the
 * names and forms of WebAuthn, level 3 (`PublicKeyCredentialCreationOptionsJSON` and its relatives).
 */

const area = 'auth';

const fresh = { kind: 'account', tokens: 'session', narrowestToken: 'none', fresh: 'always' } as const;

export const Passkey = z
  .object({
    id: Uuid.meta({ description: 'Passkey identifier.', example: '4b8e2f6a-9c1d-4e70-a3b5-7f0d2c9e6a18' }),
    name: Name.meta({ description: 'What the user calls it.', example: 'laptop' }),
    createdAt: Timestamp.meta({ description: 'When it was added.' }),
    lastUsedAt: Timestamp.nullable().meta({ description: 'When it last signed its user in; null if never.' }),
  })
  .meta({ id: 'Passkey', description: 'A passkey (WebAuthn) of a user.' });
export type Passkey = z.infer<typeof Passkey>;

const Bytes = z.string().regex(/^[A-Za-z0-9_-]*$/, { message: 'must be base64url without padding' });
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

const Challenge = z.string().meta({
  description: 'The challenge. It can be answered once, within five minutes.',
  example: 'EXAMPLE-challenge-0000',
});
/** Its form is not checked here: anything else is an `invalid_token`. */
const PresentedChallenge = text(1, 512).meta({ description: 'The challenge.', example: 'EXAMPLE-challenge-0000' });

const TotpCode = z
  .string()
  .regex(/^[0-9]{6}$/, { message: 'must be six digits' })
  .meta({ description: 'The code that the authenticator app shows. Each code counts once.', example: '492039' });
const RecoveryCode = text(1, 64).meta({
  description: 'A recovery code, with or without its hyphens. Each works once.',
  example: 'EXAM-PLEA-AAAA-AAAA-AAAA-AAAA',
});

const RecoveryCodes = z.array(z.string()).meta({
  description: 'Ten recovery codes, which are shown only once. Each stands in for the second factor once.',
  example: ['EXAM-PLEA-AAAA-AAAA-AAAA-AAAA'],
});
const FirstRecoveryCodes = RecoveryCodes.optional().meta({
  description: 'Ten recovery codes, which are shown only once; absent unless this is the account’s first factor.',
  example: ['EXAM-PLEA-AAAA-AAAA-AAAA-AAAA'],
});
const recoveryCodesExample = ['EXAM-PLEA-AAAA-AAAA-AAAA-AAAA'];

const passkeyExample = {
  id: '4b8e2f6a-9c1d-4e70-a3b5-7f0d2c9e6a18',
  name: 'laptop',
  createdAt: '2026-01-31T09:26:53.589Z',
  lastUsedAt: null,
} as const;
const credentialExample = { id: 'EXAMPLEcredentialId', rawId: 'EXAMPLEcredentialId', type: 'public-key' } as const;
const requestOptionsExample = {
  challenge: 'RVhBTVBMRS1jaGFsbGVuZ2U',
  timeout: 300_000,
  rpId: 'app.example.com',
  allowCredentials: [],
  userVerification: 'required',
} as const;

const cookieHeader = {
  'Set-Cookie': 'The session cookie: HttpOnly, SameSite=Lax, and Secure except on a local http address.',
};
const issuing = ['GenerateDataKey', 'Decrypt'] as const;

export const startPasskeyLogin = /* @__PURE__ */ contract({
  operationId: 'start-passkey-login',
  area,
  method: 'POST',
  path: '/v1/auth/login/options',
  summary: 'Begin to log in with a passkey alone',
  description:
    'Returns a challenge for a passkey that names its user by itself. No e-mail address and no password are needed. Send ' +
    'the passkey’s answer to `POST /v1/auth/login/verify`.',
  access: { kind: 'public' },
  responses: {
    200: {
      description: 'The challenge.',
      body: z.object({
        challenge: Challenge,
        publicKey: PasskeyRequestOptions,
      }),
      example: { challenge: 'EXAMPLE-challenge-0000', publicKey: requestOptionsExample },
    },
  },
  errors: [],
  uses: { table: ['PutItem'], writes: ['CHALLENGE'] },
});

export const completeLogin = /* @__PURE__ */ contract({
  operationId: 'complete-login',
  area,
  method: 'POST',
  path: '/v1/auth/login/verify',
  summary: 'Complete a log-in with a second factor or a passkey',
  description:
    'Answers the challenge of a log-in with exactly one of `totp`, `recoveryCode` and `passkey`, and starts the session. A ' +
    'challenge works once and for five minutes. Five wrong codes in 15 minutes are answered 429. The challenge of ' +
    '`POST /v1/auth/login/options` takes a passkey only.',
  access: { kind: 'public' },
  body: z
    .strictObject({
      challenge: PresentedChallenge,
      totp: TotpCode.optional(),
      recoveryCode: RecoveryCode.optional(),
      passkey: PasskeyAssertion.optional(),
    })
    .refine(
      ({ totp, recoveryCode, passkey }) => [totp, recoveryCode, passkey].filter(one => one !== undefined).length === 1,
      { message: 'must have exactly one of totp, recoveryCode and passkey' },
    ),
  bodyExample: { challenge: 'EXAMPLE-challenge-0000', totp: '492039' },
  responses: {
    200: {
      description: 'Logged in; the session cookie is set.',
      body: z.object({ user: User }),
      example: { user: userExample },
      headers: cookieHeader,
    },
  },
  errors: ['invalid_token', 'invalid_credentials', 'rate_limited'],
  uses: {
    table: ['BatchGetItem', 'GetItem', 'PutItem', 'UpdateItem', 'DeleteItem'],
    reads: ['USER', 'CHALLENGE'],
    writes: ['USER', 'CHALLENGE', 'RATE', 'CREDENTIALKEY'],
    key: { credentials: issuing, totp: ['Decrypt'] },
    mail: true,
  },
});

export const stepUp = /* @__PURE__ */ contract({
  operationId: 'step-up',
  area,
  method: 'POST',
  path: '/v1/auth/step-up',
  summary: 'Prove again who is at the session',
  description:
    'What is hard to undo needs a session that proved itself in the last ten minutes. This takes the password, and a second ' +
    'factor where the account has one: without it the answer is 401 `second_factor_required` with a challenge, which ' +
    '`passkey` answers; `totp` needs none. The session gets a new secret, and the old cookie ends. A wrong password or ' +
    'factor is an invalid request that names its field.',
  access: { kind: 'account', tokens: 'session', narrowestToken: 'none' },
  body: z
    .strictObject({
      password: text(1, 256).meta({ description: 'The password.', example: 'an example of a pass phrase' }),
      totp: TotpCode.optional(),
      challenge: PresentedChallenge.optional().meta({
        description: 'The challenge that `passkey` answers.',
        example: 'EXAMPLE-challenge-0000',
      }),
      passkey: PasskeyAssertion.optional(),
    })
    .refine(({ totp, passkey }) => totp === undefined || passkey === undefined, {
      message: 'must not have both totp and passkey',
    })
    .refine(({ challenge, passkey }) => passkey === undefined || challenge !== undefined, {
      path: ['challenge'],
      message: 'is required with passkey',
    }),
  bodyExample: { password: 'an example of a pass phrase', totp: '492039' },
  responses: {
    200: {
      description: 'The session is fresh, and its cookie is renewed.',
      body: z.object({
        freshUntil: Timestamp.meta({ description: 'Until when the session is fresh.' }),
      }),
      example: { freshUntil: '2026-01-31T09:36:53.589Z' },
      headers: cookieHeader,
    },
  },
  errors: ['second_factor_required', 'invalid_token', 'rate_limited'],
  uses: {
    table: ['BatchGetItem', 'GetItem', 'Query', 'PutItem', 'UpdateItem', 'DeleteItem'],
    reads: ['CHALLENGE'],
    writes: ['CHALLENGE', 'RATE', 'CREDENTIALKEY'],
    key: { credentials: issuing, totp: ['Decrypt'] },
  },
  sizing: { memoryMb: 1024, reason: 'scrypt at OWASP strength needs 128 MB and a whole CPU' },
});

export const startPasskey = /* @__PURE__ */ contract({
  operationId: 'start-passkey',
  area,
  method: 'POST',
  path: '/v1/auth/passkeys/options',
  summary: 'Begin to add a passkey',
  description: 'Returns a challenge for a new passkey. Send what the browser makes of it to `POST /v1/auth/passkeys`.',
  access: fresh,
  responses: {
    200: {
      description: 'The challenge.',
      body: z.object({ challenge: Challenge, publicKey: PasskeyCreationOptions }),
      example: {
        challenge: 'EXAMPLE-challenge-0000',
        publicKey: {
          challenge: 'RVhBTVBMRS1jaGFsbGVuZ2U',
          timeout: 300_000,
          rp: { id: 'app.example.com', name: 'Holdfast' },
          user: { id: 'NWYwYzlhNTItN2IxZQ', name: 'ada@example.com', displayName: 'Ada' },
          pubKeyCredParams: [{ type: 'public-key', alg: -7 }],
          excludeCredentials: [],
          authenticatorSelection: { residentKey: 'required', requireResidentKey: true, userVerification: 'required' },
          attestation: 'none',
        },
      },
    },
  },
  errors: [],
  uses: { table: ['BatchGetItem', 'Query', 'PutItem', 'UpdateItem'], writes: ['CHALLENGE'] },
});

export const addPasskey = /* @__PURE__ */ contract({
  operationId: 'add-passkey',
  area,
  method: 'POST',
  path: '/v1/auth/passkeys',
  summary: 'Add a passkey',
  description:
    'Verifies what the browser made of the challenge and adds the passkey, at most 20 for each account. From then on it is ' +
    'a second factor, and it can log in alone. The account’s first factor also gets ten recovery codes. The user is told ' +
    'by mail.',
  access: fresh,
  body: z.strictObject({
    challenge: PresentedChallenge,
    name: Name.meta({ description: 'What to call it.', example: 'laptop' }),
    passkey: NewPasskeyCredential,
  }),
  bodyExample: {
    challenge: 'EXAMPLE-challenge-0000',
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
  responses: {
    201: {
      description: 'The passkey.',
      body: z.object({ passkey: Passkey, recoveryCodes: FirstRecoveryCodes }),
      example: { passkey: passkeyExample, recoveryCodes: recoveryCodesExample },
    },
  },
  errors: ['invalid_token'],
  uses: {
    table: ['BatchGetItem', 'GetItem', 'PutItem', 'UpdateItem', 'DeleteItem', 'ConditionCheckItem'],
    reads: ['CHALLENGE'],
    writes: ['CHALLENGE'],
    mail: true,
  },
});

export const listPasskeys = /* @__PURE__ */ contract({
  operationId: 'list-passkeys',
  area,
  method: 'GET',
  path: '/v1/auth/passkeys',
  summary: 'List passkeys',
  description: 'Lists the caller’s passkeys, newest first.',
  access: { kind: 'account', tokens: 'session', narrowestToken: 'none' },
  responses: {
    200: {
      description: 'The passkeys.',
      body: z.object({ passkeys: z.array(Passkey).meta({ description: 'The passkeys, newest first.' }) }),
      example: { passkeys: [passkeyExample] },
    },
  },
  errors: [],
  uses: { table: ['BatchGetItem', 'Query', 'UpdateItem'] },
});

export const removePasskey = /* @__PURE__ */ contract({
  operationId: 'remove-passkey',
  area,
  method: 'DELETE',
  path: '/v1/auth/passkeys/{passkeyId}',
  summary: 'Remove a passkey',
  description:
    'The passkey stops working at once. With the account’s last factor its recovery codes go as well. The user is told by ' +
    'mail.',
  access: fresh,
  responses: { 200: { description: 'The passkey is removed.', body: Success, example: { success: true } } },
  errors: [],
  uses: {
    table: ['BatchGetItem', 'GetItem', 'Query', 'UpdateItem', 'DeleteItem', 'ConditionCheckItem'],
    mail: true,
  },
});

export const startTotp = /* @__PURE__ */ contract({
  operationId: 'start-totp',
  area,
  method: 'POST',
  path: '/v1/auth/totp',
  summary: 'Begin to add an authenticator app',
  description:
    'Returns a secret for an authenticator app (TOTP, RFC 6238). It does nothing until `POST /v1/auth/totp/confirm` gets a ' +
    'code of it, within ten minutes. An earlier authenticator app keeps working until then, and is replaced.',
  access: fresh,
  responses: {
    200: {
      description: 'The secret, which is shown only once.',
      body: z.object({
        secret: z.string().meta({
          description: 'The secret in base32, to type in.',
          example: 'EXAMPLEAAAAAAAAAAAAAAAAAAAAAAAAA',
        }),
        uri: z.string().meta({
          description: 'The same as an `otpauth` address, to show as a QR code.',
          example: 'otpauth://totp/Holdfast:ada%40example.com?secret=EXAMPLEAAAAAAAAAAAAAAAAAAAAAAAAA&issuer=Holdfast',
        }),
      }),
      example: {
        secret: 'EXAMPLEAAAAAAAAAAAAAAAAAAAAAAAAA',
        uri: 'otpauth://totp/Holdfast:ada%40example.com?secret=EXAMPLEAAAAAAAAAAAAAAAAAAAAAAAAA&issuer=Holdfast',
      },
    },
  },
  errors: [],
  uses: { table: ['BatchGetItem', 'UpdateItem'], key: { totp: ['Encrypt'] } },
});

export const confirmTotp = /* @__PURE__ */ contract({
  operationId: 'confirm-totp',
  area,
  method: 'POST',
  path: '/v1/auth/totp/confirm',
  summary: 'Add the authenticator app',
  description:
    'Makes the authenticator app a second factor, once it shows a right code. The code is used up by that. The account’s ' +
    'first factor also gets ten recovery codes. A wrong code is an invalid request that names `code`. The user is told by ' +
    'mail.',
  access: fresh,
  body: z.strictObject({ code: TotpCode }),
  bodyExample: { code: '492039' },
  responses: {
    200: {
      description: 'The authenticator app is a second factor.',
      body: z.object({ recoveryCodes: FirstRecoveryCodes }),
      example: { recoveryCodes: recoveryCodesExample },
    },
  },
  errors: [],
  uses: {
    table: ['BatchGetItem', 'GetItem', 'UpdateItem', 'ConditionCheckItem'],
    key: { totp: ['Decrypt'] },
    mail: true,
  },
});

export const removeTotp = /* @__PURE__ */ contract({
  operationId: 'remove-totp',
  area,
  method: 'DELETE',
  path: '/v1/auth/totp',
  summary: 'Remove the authenticator app',
  description:
    'Its codes stop working at once. With the account’s last factor its recovery codes go as well. The user is told by mail.',
  access: fresh,
  responses: { 200: { description: 'There is none any more.', body: Success, example: { success: true } } },
  errors: [],
  uses: { table: ['BatchGetItem', 'GetItem', 'UpdateItem', 'ConditionCheckItem'], mail: true },
});

export const renewRecoveryCodes = /* @__PURE__ */ contract({
  operationId: 'renew-recovery-codes',
  area,
  method: 'POST',
  path: '/v1/auth/recovery-codes',
  summary: 'Make new recovery codes',
  description:
    'Replaces the recovery codes by ten new ones. An account without a second factor can have none. The user is told by mail.',
  access: fresh,
  responses: {
    200: {
      description: 'The new codes, which are shown only once.',
      body: z.object({ recoveryCodes: RecoveryCodes }),
      example: { recoveryCodes: recoveryCodesExample },
    },
  },
  errors: [],
  uses: { table: ['BatchGetItem', 'GetItem', 'UpdateItem', 'ConditionCheckItem'], mail: true },
});
