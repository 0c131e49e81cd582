import * as z from 'zod';
import { contract } from '../contract.ts';
import { text } from '../fields/text.ts';
import { issuing, PresentedChallenge, TotpCode } from './credentials.ts';
import { PasskeyAssertion } from './passkey.ts';
import { linkCookie } from './sign-in-cookies.ts';
import { loggedIn } from './user.ts';

const RecoveryCode = text(1, 64).meta({
  description: 'A recovery code, with or without its hyphens. Each works once.',
  example: 'EXAM-PLEA-AAAA-AAAA-AAAA-AAAA',
});

export const completeLogin = contract({
  operationId: 'complete-login',
  route: 'POST /v1/auth/login/verify',
  summary: 'Complete a log-in with a second factor or a passkey',
  description:
    'Answers a log-in challenge with exactly one of `totp`, `recoveryCode` and `passkey`, and starts the ' +
    'session. A challenge works once and expires after five minutes. Five wrong codes within 15 minutes return ' +
    '429. A challenge from `POST /v1/auth/login/options` accepts only a passkey. One from a sign-in with a company’s ' +
    'provider also makes somebody who signs in for the first time a member.',
  access: { kind: 'public' },
  cookies: [linkCookie],
  body: z
    .strictObject({
      challenge: PresentedChallenge,
      totp: TotpCode.optional(),
      recoveryCode: RecoveryCode.optional(),
      passkey: PasskeyAssertion.optional(),
    })
    .refine(
      ({ totp, recoveryCode, passkey }) => [totp, recoveryCode, passkey].filter(one => one !== undefined).length === 1,
      { message: 'must have exactly one of totp, recoveryCode and passkey' },
    ),
  bodyExample: { challenge: 'EXAMPLE-challenge-0000', totp: '492039' },
  responses: loggedIn,
  errors: ['invalid_token', 'invalid_credentials', 'organization_not_found', 'plan_limit_exceeded', 'rate_limited'],
  servedInMaintenance: true,
  uses: {
    dashboardOrigin: true,
    table: ['BatchGetItem', 'GetItem', 'Query', 'PutItem', 'UpdateItem', 'DeleteItem', 'ConditionCheckItem'],
    reads: ['USER', 'CHALLENGE', 'RATE', 'SIGNIN', 'ORG', 'DOMAIN'],
    writes: ['USER', 'CHALLENGE', 'RATE', 'CREDENTIALKEY', 'SIGNIN', 'ORG', 'INVITATION', 'AUDIT'],
    key: { credentials: issuing, totp: ['Decrypt'] },
    mail: true,
  },
});
