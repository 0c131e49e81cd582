import * as z from 'zod';
import { contract, passwordSizing, succeeds } from '../contract.ts';
import { NewPassword, PresentedPassword } from './credentials.ts';

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
    currentPassword: PresentedPassword.meta({
      description: 'The current password.',
      example: 'an example of a pass phrase',
    }),
    newPassword: NewPassword.meta({ example: 'another example of a pass phrase' }),
    revokeTokens: z
      .boolean({ message: 'must be true or false' })
      .default(false)
      .meta({ description: 'Whether to revoke all of the user’s tokens as well.' }),
  }),
  bodyExample: { currentPassword: 'an example of a pass phrase', newPassword: 'another example of a pass phrase' },
  responses: succeeds('The password was changed.'),
  errors: ['rate_limited'],
  uses: { table: ['GetItem', 'Query', 'DeleteItem'], reads: ['ORG', 'RATE'], writes: ['AUDIT', 'RATE'] },
  sizing: passwordSizing,
});
