import * as z from 'zod';
import { contract, ok, passwordSizing, succeeds } from '../contract.ts';
import { Email } from '../fields/text.ts';
import { userBody } from './account.ts';
import { LinkToken, NewPassword, PresentedPassword, passPhraseExample } from './credentials.ts';

export const changePassword = contract({
  operationId: 'change-password',
  route: 'POST /v1/auth/change-password',
  summary: 'Change the password',
  description:
    'Sets a new password and ends the user’s other sessions. A wrong current password returns `invalid_request` ' +
    'for `currentPassword`; repeated attempts are rate-limited like failed log-ins. Tokens keep working unless ' +
    '`revokeTokens` is set.',
  access: { kind: 'account', tokens: 'session', narrowestToken: 'none' },
  body: z.strictObject({
    currentPassword: PresentedPassword.meta({ description: 'The current password.', example: passPhraseExample }),
    newPassword: NewPassword.meta({ example: 'another example of a pass phrase' }),
    revokeTokens: z.boolean().default(false).describe('Whether to revoke all of the user’s tokens as well.'),
  }),
  bodyExample: { currentPassword: passPhraseExample, newPassword: 'another example of a pass phrase' },
  responses: succeeds('The password was changed.'),
  errors: ['rate_limited'],
  revokes: true,
  uses: {
    table: {
      GetItem: ['USER'],
      BatchGetItem: ['ORG', 'RATE'],
      Query: ['USER'],
      PutItem: ['AUDIT', 'REVOCATIONS'],
      UpdateItem: ['RATE'],
      DeleteItem: ['RATE', 'USER'],
    },
  },
  sizing: passwordSizing,
});

export const sendVerification = contract({
  operationId: 'send-verification',
  route: 'POST /v1/auth/send-verification',
  summary: 'Send an e-mail verification link',
  description:
    'Sends an e-mail with a link that is valid for 24 hours and replaces any earlier one. Does nothing if the address ' +
    'is already verified. Limited to 5 e-mails a day for each address.',
  access: { kind: 'account', tokens: 'session', narrowestToken: 'none' },
  responses: succeeds('The e-mail is on its way.'),
  errors: ['rate_limited'],
  uses: { table: { PutItem: ['USER'], UpdateItem: ['RATE'] }, mail: true },
});

export const verifyEmail = contract({
  operationId: 'verify-email',
  route: 'POST /v1/auth/verify-email',
  summary: 'Verify an e-mail address',
  description: 'Verifies the address with the token from the mailed link. Requires no session. The token works once.',
  access: { kind: 'public' },
  body: z.strictObject({ token: LinkToken }),
  bodyExample: { token: 'EXAMPLE-verification-token-0000' },
  responses: ok({ description: 'The address was verified.', ...userBody }),
  errors: ['invalid_token'],
  uses: { table: { BatchGetItem: ['USER'], UpdateItem: ['USER'], DeleteItem: ['USER'] } },
});

export const requestPasswordReset = contract({
  operationId: 'request-password-reset',
  route: 'POST /v1/auth/forgot-password',
  summary: 'Request a password reset',
  description:
    'If the account exists, sends an e-mail with a link that is valid for an hour. The response and its timing ' +
    'are the same either way. Limited to a few requests an hour per e-mail address and per client IP address.',
  access: { kind: 'public' },
  body: z.strictObject({ email: Email.meta({ description: 'The e-mail address.', example: 'ada@example.com' }) }),
  bodyExample: { email: 'ada@example.com' },
  responses: succeeds('The request was accepted, whether or not the account exists.'),
  errors: ['rate_limited'],
  uses: { table: { GetItem: ['EMAIL'], UpdateItem: ['RATE'] }, queues: ['jobs'] },
});

export const resetPassword = contract({
  operationId: 'reset-password',
  route: 'POST /v1/auth/reset-password',
  summary: 'Reset the password',
  description:
    'Sets a new password with the token from the mailed link, which works once. Ends the account’s sessions, tokens ' +
    'and other reset links, and if the e-mail address was never verified, its second factors.',
  access: { kind: 'public' },
  body: z.strictObject({ token: LinkToken.meta({ example: 'EXAMPLE-reset-token-0000' }), newPassword: NewPassword }),
  bodyExample: { token: 'EXAMPLE-reset-token-0000', newPassword: 'another example of a pass phrase' },
  responses: succeeds('The password was changed.'),
  errors: ['invalid_token'],
  uses: {
    table: {
      GetItem: ['USER'],
      BatchGetItem: ['ORG', 'USER'],
      Query: ['USER'],
      PutItem: ['AUDIT', 'REVOCATIONS'],
      UpdateItem: ['USER'],
      DeleteItem: ['PASSKEY', 'USER'],
    },
  },
  sizing: passwordSizing,
});
