import * as z from 'zod';
import { contract, ok } from '../contract.ts';
import { Challenge } from './credentials.ts';
import { PasskeyRequestOptions } from './passkey.ts';
import { factorCookie } from './sign-in-cookies.ts';

export const continueProviderSignIn = contract({
  operationId: 'continue-provider-sign-in',
  route: 'POST /v1/auth/provider/factor',
  summary: 'Continue a provider sign-in with a second factor',
  description:
    'After `/log-in#error=second_factor_required`: returns the challenge for the account’s own second factor, which ' +
    'the callback left in a cookie. `POST /v1/auth/login/verify` completes the sign-in.',
  access: { kind: 'public' },
  cookies: [factorCookie],
  responses: ok({
    description: 'The challenge.',
    body: z.object({
      challenge: Challenge,
      methods: z
        .array(z.enum(['passkey', 'totp', 'recovery_code']))
        .meta({ description: 'The factors that the account has.', example: ['totp', 'recovery_code'] }),
      publicKey: PasskeyRequestOptions.optional().meta({ description: 'For a passkey, if the account has one.' }),
    }),
  }),
  errors: ['invalid_token'],
  servedInMaintenance: true,
  uses: { dashboardOrigin: true, table: ['BatchGetItem', 'GetItem', 'Query'], reads: ['USER', 'CHALLENGE'] },
});
