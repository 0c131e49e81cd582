import * as z from 'zod';
import { contract, succeeds } from '../contract.ts';
import { Email } from '../fields/text.ts';

export const requestPasswordReset = contract({
  operationId: 'request-password-reset',
  route: 'POST /v1/auth/forgot-password',
  summary: 'Request a password reset',
  description:
    'If the account exists, sends an e-mail with a link that is valid for an hour. The response and its timing ' +
    'are the same either way. Limited to a few requests an hour per e-mail address and per client IP address.',
  access: { kind: 'public' },
  body: z.strictObject({
    email: Email.meta({ description: 'The account’s e-mail address.', example: 'ada@example.com' }),
  }),
  bodyExample: { email: 'ada@example.com' },
  responses: succeeds('The request was accepted, whether or not the account exists.'),
  errors: ['rate_limited'],
  uses: { table: ['GetItem', 'PutItem', 'UpdateItem'], reads: ['EMAIL'], writes: ['RATE'], queues: ['jobs'] },
});
