import * as z from 'zod';
import { contract, ok } from '../contract.ts';
import { Challenge } from './credentials.ts';
import { PasskeyRequestOptions } from './passkey.ts';

export const startPasskeyLogin = contract({
  operationId: 'start-passkey-login',
  route: 'POST /v1/auth/login/options',
  summary: 'Start to log in with a passkey alone',
  description:
    'Returns a challenge for a discoverable passkey. No e-mail address or password is needed. Send the ' +
    'passkey’s response to `POST /v1/auth/login/verify`. Limited per client IP address.',
  access: { kind: 'public' },
  responses: ok({
    description: 'The challenge.',
    body: z.object({ challenge: Challenge, publicKey: PasskeyRequestOptions }),
    example: { publicKey: { allowCredentials: [] } },
  }),
  errors: ['rate_limited'],
  servedInMaintenance: true,
  uses: { dashboardOrigin: true, table: ['PutItem', 'UpdateItem'], writes: ['CHALLENGE', 'RATE'] },
});
