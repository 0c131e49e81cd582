import * as z from 'zod';
import { contract, ok } from '../contract.ts';
import { FirstRecoveryCodes, recoveryCodesExample, TotpCode } from './credentials.ts';

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
    table: ['GetItem', 'PutItem', 'DeleteItem', 'ConditionCheckItem'],
    writes: ['RATE'],
    key: { totp: ['Decrypt'] },
    mail: true,
  },
});
