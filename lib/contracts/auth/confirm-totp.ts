import * as z from 'zod';
import { contract } from '../contract.ts';
import { FirstRecoveryCodes, recoveryCodesExample } from './recovery-codes.ts';
import { TotpCode } from './totp-code.ts';

export const confirmTotp = contract({
  operationId: 'confirm-totp',
  area: 'auth',
  method: 'POST',
  path: '/v1/auth/totp/confirm',
  summary: 'Add the authenticator app',
  description:
    'Makes the authenticator app a second factor, once it shows a right code. The code is used up by that. The account’s ' +
    'first factor also gets ten recovery codes. A wrong code is an invalid request that names `code`. The user is told by ' +
    'mail.',
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
  uses: { table: ['GetItem', 'ConditionCheckItem'], key: { totp: ['Decrypt'] }, mail: true },
});
