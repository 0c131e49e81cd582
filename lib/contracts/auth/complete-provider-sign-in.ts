import * as z from 'zod';
import { contract, redirects } from '../contract.ts';
import { issuing } from './credentials.ts';
import { startedSignInCookie } from './sign-in-cookies.ts';
import { signInErrors } from './sign-in-errors.ts';

/** The handler checks what the provider sent, because a person in a browser must never get a JSON error for it. */
const parameter = (description: string) => z.string().optional().meta({ description });

export const completeProviderSignIn = contract({
  operationId: 'complete-provider-sign-in',
  route: 'GET /v1/auth/provider/{orgSlug}/callback',
  summary: 'Complete a sign-in with the organization’s provider',
  description: [
    'The organization’s redirect URI to register at its provider. Verifies the provider’s response, starts a session of at most 12 ' +
      'hours and sends the browser to the dashboard. The session and the tokens created with it are confined to that ' +
      'organization, until the session steps up with the account’s own password or passkey. Further parameters are ' +
      'ignored. Whatever goes wrong sends the browser to ' +
      '`/log-in#error=<code>`, and nothing is created. After `second_factor_required`, `POST /v1/auth/provider/factor` ' +
      'continues. The codes:',
    ...Object.entries(signInErrors).map(([code, sentence]) => `- \`${code}\`: ${sentence}`),
  ].join('\n'),
  access: { kind: 'optional' },
  query: z.object({
    state: parameter('As the service sent it to the provider.'),
    code: parameter('The authorization code.'),
    iss: parameter('The issuer (RFC 9207). Required if the provider announces that it sends it.'),
    error: parameter('Why the provider did not sign the user in.'),
  }),
  foreignQuery: true,
  cookies: [startedSignInCookie],
  responses: redirects({
    description: 'To the dashboard, with the session cookie or an error.',
    body: null,
    headers: {
      Location: 'A page of the dashboard.',
      'Set-Cookie': 'The session cookie: HttpOnly, SameSite=Lax, and Secure except on a local http address.',
    },
  }),
  errors: ['insufficient_scope'],
  uses: {
    dashboardOrigin: true,
    table: ['BatchGetItem', 'GetItem', 'Query', 'PutItem', 'UpdateItem', 'DeleteItem', 'ConditionCheckItem'],
    reads: ['SIGNIN', 'ORG', 'DOMAIN', 'EMAIL', 'USER', 'ISSUER', 'RATE'],
    writes: [
      'SIGNIN',
      'ORG',
      'EMAIL',
      'USER',
      'INVITATION',
      'CHALLENGE',
      'ISSUER',
      'PLATFORM',
      'RATE',
      'AUDIT',
      'CREDENTIALKEY',
    ],
    key: { credentials: issuing, provider: ['Decrypt'] },
    functions: ['make-outbound-requests'],
  },
});
