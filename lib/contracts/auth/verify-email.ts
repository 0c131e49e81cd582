import * as z from 'zod';
import { contract, ok } from '../contract.ts';
import { LinkToken } from './credentials.ts';
import { User, userExample } from './user.ts';

export const verifyEmail = contract({
  operationId: 'verify-email',
  route: 'POST /v1/auth/verify-email',
  summary: 'Verify an e-mail address',
  description: 'Verifies the address with the token from the mailed link. Requires no session. The token works once.',
  access: { kind: 'public' },
  body: z.strictObject({ token: LinkToken }),
  bodyExample: { token: 'EXAMPLE-verification-token-0000' },
  responses: ok({
    description: 'The address was verified.',
    body: z.object({ user: User }),
    example: { user: userExample },
  }),
  errors: ['invalid_token'],
  uses: { table: ['BatchGetItem', 'UpdateItem', 'DeleteItem'], reads: ['USER'], writes: ['USER'] },
});
