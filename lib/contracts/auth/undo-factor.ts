import * as z from 'zod';
import { contract } from '../contract.ts';
import { Success } from '../fields/success.ts';
import { LinkToken } from './link-token.ts';

export const undoFactor = contract({
  operationId: 'undo-factor',
  route: 'POST /v1/auth/factors/undo',
  summary: 'Remove a second factor that somebody else added',
  description:
    'Removes a passkey or authenticator app with the token of the link in the mail about it, which works once, for 7 days. ' +
    'Recovery codes that were made with the factor or since are removed as well. Every session of the account ends, and ' +
    'every token is revoked. The password stays: reset it next.',
  access: { kind: 'public' },
  body: z.strictObject({ token: LinkToken.meta({ example: 'EXAMPLE-undo-token-0000' }) }),
  bodyExample: { token: 'EXAMPLE-undo-token-0000' },
  responses: { 200: { description: 'The factor is removed.', body: Success } },
  errors: ['invalid_token'],
  uses: {
    table: ['BatchGetItem', 'GetItem', 'Query', 'PutItem', 'UpdateItem', 'DeleteItem'],
    reads: ['USER', 'ORG'],
    writes: ['USER', 'PASSKEY', 'RATE', 'AUDIT'],
    mail: true,
  },
});
