import * as z from 'zod';
import { contract, passwordSizing } from '../contract.ts';
import { Success } from '../fields/success.ts';
import { NewPassword, PresentedPassword } from './password.ts';

export const changePassword = contract({
  operationId: 'change-password',
  route: 'POST /v1/auth/change-password',
  summary: 'Change the password',
  description:
    'Sets a new password and ends every other session of the user. A wrong current password is an invalid request that ' +
    'names `currentPassword`; repeated wrong ones are rate-limited like failed logins. Tokens keep working unless ' +
    '`revokeTokens` is set.',
  access: { kind: 'account', tokens: 'session', narrowestToken: 'none' },
  body: z.strictObject({
    currentPassword: PresentedPassword.meta({
      description: 'The current password.',
      example: 'an example of a pass phrase',
    }),
    newPassword: NewPassword.meta({ example: 'another example of a pass phrase' }),
    revokeTokens: z
      .boolean({ message: 'must be true or false' })
      .default(false)
      .meta({ description: 'Whether every token of the user is revoked as well.' }),
  }),
  bodyExample: { currentPassword: 'an example of a pass phrase', newPassword: 'another example of a pass phrase' },
  responses: { 200: { description: 'The password is changed.', body: Success } },
  errors: ['rate_limited'],
  uses: { table: ['GetItem', 'Query', 'DeleteItem'], reads: ['ORG', 'RATE'], writes: ['AUDIT', 'RATE'] },
  sizing: passwordSizing,
});
