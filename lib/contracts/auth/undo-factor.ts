import * as z from 'zod';
import { contract, succeeds } from '../contract.ts';
import { LinkToken } from './credentials.ts';

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
    table: ['BatchGetItem', 'GetItem', 'Query', 'PutItem', 'UpdateItem', 'DeleteItem'],
    reads: ['USER', 'ORG'],
    writes: ['USER', 'PASSKEY', 'RATE', 'AUDIT'],
    mail: true,
  },
});
