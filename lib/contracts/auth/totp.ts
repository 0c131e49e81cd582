import * as z from 'zod';
import { contract, ok, succeeds } from '../contract.ts';
import { FirstRecoveryCodes, LinkToken, RecoveryCodes, recoveryCodesExample, TotpCode } from './credentials.ts';

export const startTotp = contract({
  operationId: 'start-totp',
  route: 'POST /v1/auth/totp',
  summary: 'Start to add an authenticator app',
  description:
    'Returns a secret for an authenticator app (TOTP, RFC 6238). The app is not added until `POST ' +
    '/v1/auth/totp/confirm` receives one of its codes, within ten minutes. Until then, an existing ' +
    'authenticator app keeps working; afterwards the new one replaces it.',
  access: { kind: 'account', tokens: 'session', narrowestToken: 'none', fresh: 'always' },
  responses: ok({
    description: 'The secret, shown only once.',
    body: z.object({
      secret: z.string().meta({ description: 'In base32, to type in.', example: 'EXAMPLEAAAAAAAAAAAAAAAAAAAAAAAAA' }),
      uri: z.string().meta({
        description: 'The same secret as an `otpauth` URI, for a QR code.',
        example: 'otpauth://totp/Holdfast:ada%40example.com?secret=EXAMPLEAAAAAAAAAAAAAAAAAAAAAAAAA&issuer=Holdfast',
      }),
    }),
  }),
  errors: ['email_not_verified'],
  uses: { table: {}, key: { totp: ['Encrypt'] } },
});

export const confirmTotp = contract({
  operationId: 'confirm-totp',
  route: 'POST /v1/auth/totp/confirm',
  summary: 'Add the authenticator app',
  description:
    'Adds the authenticator app as a second factor, given a valid code from it. The code can’t be used again. ' +
    'Adding an account’s first factor also returns ten recovery codes. A wrong code returns `invalid_request` ' +
    'for `code`. Requires a verified e-mail address. The user gets an e-mail with a link that removes the app ' +
    'again. These e-mails are limited to five an hour; if one can’t be sent, no app is added. If the response ' +
    'with the recovery codes was lost, sending the same code once more returns ten new ones.',
  access: { kind: 'account', tokens: 'session', narrowestToken: 'none', fresh: 'always' },
  body: z.strictObject({ code: TotpCode }),
  bodyExample: { code: '492039' },
  responses: ok({
    description: 'The authenticator app is now a second factor.',
    body: z.object({ recoveryCodes: FirstRecoveryCodes }),
    example: { recoveryCodes: recoveryCodesExample },
  }),
  errors: ['email_not_verified', 'rate_limited'],
  uses: {
    table: {
      GetItem: ['USER'],
      ConditionCheckItem: ['USER'],
      PutItem: ['REVOCATIONS', 'USER'],
      UpdateItem: ['RATE'],
      DeleteItem: ['USER'],
    },
    key: { totp: ['Decrypt'] },
    mail: true,
  },
});

export const removeTotp = contract({
  operationId: 'remove-totp',
  route: 'DELETE /v1/auth/totp',
  summary: 'Remove the authenticator app',
  description:
    'Its codes stop working at once. Removing the last factor also deletes the recovery codes, and the account’s ' +
    'tokens no longer count as created with a second factor. The user is notified by e-mail.',
  access: { kind: 'account', tokens: 'session', narrowestToken: 'none', fresh: 'always' },
  responses: succeeds('The account has no authenticator app.'),
  uses: {
    table: {
      GetItem: ['USER'],
      BatchGetItem: ['ORG'],
      Query: ['ORG', 'USER'],
      ConditionCheckItem: ['ORG', 'USER'],
      PutItem: ['REVOCATIONS'],
      UpdateItem: ['RATE'],
    },
    mail: true,
  },
});

export const renewRecoveryCodes = contract({
  operationId: 'renew-recovery-codes',
  route: 'POST /v1/auth/recovery-codes',
  summary: 'Generate new recovery codes',
  description: 'Replaces the recovery codes with ten new ones and notifies the user. Limited to five times an hour.',
  access: { kind: 'account', tokens: 'session', narrowestToken: 'none', fresh: 'always' },
  responses: ok({ description: 'The new codes, shown only once.', body: z.object({ recoveryCodes: RecoveryCodes }) }),
  errors: ['rate_limited'],
  uses: {
    table: { GetItem: ['USER'], ConditionCheckItem: ['USER'], PutItem: ['REVOCATIONS'], UpdateItem: ['RATE'] },
    mail: true,
  },
});

export const undoFactor = contract({
  operationId: 'undo-factor',
  route: 'POST /v1/auth/factors/undo',
  summary: 'Remove a second factor that someone else added',
  description:
    'Removes a passkey or authenticator app with the token from the e-mail about it. The token works once and ' +
    'expires after 7 days. Recovery codes generated with the factor or since then are removed as well. All of ' +
    'the account’s sessions end, and all of its tokens are revoked. The password stays the same: reset it next.',
  access: { kind: 'public' },
  body: z.strictObject({ token: LinkToken.meta({ example: 'EXAMPLE-undo-token-0000' }) }),
  bodyExample: { token: 'EXAMPLE-undo-token-0000' },
  responses: succeeds('The factor was removed.'),
  errors: ['invalid_token'],
  uses: {
    table: {
      GetItem: ['USER'],
      BatchGetItem: ['ORG', 'USER'],
      Query: ['USER'],
      PutItem: ['AUDIT', 'REVOCATIONS'],
      UpdateItem: ['RATE', 'USER'],
      DeleteItem: ['PASSKEY', 'USER'],
    },
    mail: true,
  },
});
