import * as z from 'zod';
import { contract, redirects } from '../contract.ts';
import { dashboardPath } from '../fields/dashboard-path.ts';
import { flagQuery } from '../fields/query.ts';

export const startProviderSignIn = contract({
  operationId: 'start-provider-sign-in',
  route: 'GET /v1/auth/provider/{orgSlug}/start',
  summary: 'Start to sign in with the organization’s provider',
  description:
    'Sends the browser to the organization’s OpenID Connect provider (authorization code flow with PKCE). A cookie ' +
    'ties the sign-in to this browser for ten minutes. If the sign-in can’t be started, the browser is sent to the ' +
    'dashboard’s `/log-in#error=<code>`; `GET /v1/auth/provider/{orgSlug}/callback` lists the codes. Limited per ' +
    'client IP address.',
  access: { kind: 'optional' },
  query: z.strictObject({
    to: dashboardPath.optional().meta({
      description: 'The dashboard’s page to return to afterwards. Only a path is accepted.',
      example: '/analytical-engines',
    }),
    stepUp: flagQuery(
      'With `true`, makes the session fresh: the provider asks its user to sign in again. Requires a session that ' +
        'came through this provider; another person’s response is rejected.',
    ).optional(),
    test: flagQuery(
      'With `true`, an owner tests the provider: everything is checked, and nothing is changed. The browser returns ' +
        'to `to` with `#tested`.',
    ).optional(),
  }),
  responses: redirects({
    description: 'To the provider, or to the dashboard’s log-in page with an error.',
    body: null,
    headers: {
      Location: 'The provider’s authorization endpoint, or the dashboard’s log-in page.',
      'Set-Cookie': 'A short-lived cookie for the callback: HttpOnly, SameSite=Lax.',
    },
  }),
  errors: ['insufficient_scope'],
  uses: {
    dashboardOrigin: true,
    table: ['BatchGetItem', 'GetItem', 'PutItem', 'UpdateItem'],
    reads: ['ORG', 'ISSUER', 'RATE'],
    writes: ['SIGNIN', 'ISSUER', 'RATE'],
    functions: ['make-outbound-requests'],
  },
});
