import * as z from 'zod';
import { contract } from '../contract.ts';
import { FirstRecoveryCodes, recoveryCodesExample } from './recovery-codes.ts';
import { TotpCode } from './totp-code.ts';

export const confirmTotp = contract({
  operationId: 'confirm-totp',
  route: 'POST /v1/auth/totp/confirm',
  summary: 'Add the authenticator app',
  description:
    'Makes the authenticator app a second factor, once it shows a right code. The code is used up by that. The account’s ' +
    'first factor also gets ten recovery codes. A wrong code is an invalid request that names `code`. It needs a ' +
    'verified e-mail address. The user gets a mail with a link that removes the app again. That mail is one of five an ' +
    'hour: behind them, and where it cannot be sent, no app is added. If the answer with recovery codes was lost, the same ' +
    'code gets ten others, once.',
  access: { kind: 'account', tokens: 'session', narrowestToken: 'none', fresh: 'always' },
  body: z.strictObject({ code: TotpCode }),
  bodyExample: { code: '492039' },
  responses: {
    200: {
      description: 'The authenticator app is a second factor.',
      body: z.object({ recoveryCodes: FirstRecoveryCodes }),
      example: { recoveryCodes: recoveryCodesExample },
    },
  },
  errors: ['email_not_verified', 'rate_limited'],
  uses: {
    table: ['GetItem', 'PutItem', 'DeleteItem', 'ConditionCheckItem'],
    writes: ['RATE'],
    key: { totp: ['Decrypt'] },
    mail: true,
  },
});
