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
    'ties the sign-in to this browser for ten minutes. Whatever prevents the start sends the browser to the ' +
    'dashboard’s `/log-in#error=<code>` instead; `GET /v1/auth/provider/{orgSlug}/callback` lists the codes. Limited per client ' +
    'IP address.',
  access: { kind: 'optional' },
  query: z.strictObject({
    to: dashboardPath.optional().meta({
      description: 'The path of the dashboard to go to afterwards. Nothing but a path is accepted.',
      example: '/analytical-engines',
    }),
    stepUp: flagQuery(
      'With `true`, makes the session fresh: the provider asks its user to sign in again. It needs a session that came ' +
        'through this provider. Somebody else at the provider is refused.',
    ).optional(),
    test: flagQuery(
      'With `true`, an owner tries the provider out: everything is checked, and nothing is changed. The browser ' +
        'returns to `to` with `#tested`.',
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
