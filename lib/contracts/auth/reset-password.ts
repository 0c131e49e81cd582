import * as z from 'zod';
import { contract, passwordSizing, succeeds } from '../contract.ts';
import { LinkToken, NewPassword } from './credentials.ts';

export const resetPassword = contract({
  operationId: 'reset-password',
  route: 'POST /v1/auth/reset-password',
  summary: 'Reset the password',
  description:
    'Sets a new password with the token from the mailed link, which works once. Ends all of the account’s ' +
    'sessions and revokes all of its tokens and other reset links. If the e-mail address was never verified, ' +
    'the account’s second factors are removed as well.',
  access: { kind: 'public' },
  body: z.strictObject({ token: LinkToken.meta({ example: 'EXAMPLE-reset-token-0000' }), newPassword: NewPassword }),
  bodyExample: { token: 'EXAMPLE-reset-token-0000', newPassword: 'another example of a pass phrase' },
  responses: succeeds('The password was changed.'),
  errors: ['invalid_token'],
  uses: {
    table: ['BatchGetItem', 'GetItem', 'Query', 'PutItem', 'UpdateItem', 'DeleteItem'],
    reads: ['USER', 'ORG'],
    writes: ['USER', 'PASSKEY', 'AUDIT'],
  },
  sizing: passwordSizing,
});
