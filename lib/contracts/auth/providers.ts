import * as z from 'zod';
import { contract, ok, redirects, succeeds } from '../contract.ts';
import { dashboardPath } from '../fields/dashboard-path.ts';
import { flagQuery } from '../fields/query.ts';
import { Email, Name, Slug, Timestamp, Uuid } from '../fields/text.ts';
import { Challenge, cookieHeader, factorCookie, issuing, startedSignInCookie } from './credentials.ts';
import { PasskeyRequestOptions } from './passkeys.ts';
import { signInErrors } from './sign-in.ts';

const signInMethods = ['password', 'passkey', 'provider'] as const;

export const findSignInMethods = contract({
  operationId: 'find-sign-in-methods',
  route: 'GET /v1/auth/sign-in',
  summary: 'Find out how an address can sign in',
  description:
    'Returns the methods for the log-in page. The response is the same for all addresses of a domain, with or ' +
    'without an account. Limited per client IP address.',
  access: { kind: 'public' },
  query: z.strictObject({ email: Email.meta({ description: 'The e-mail address.', example: 'ada@example.com' }) }),
  responses: ok({
    description: 'The methods.',
    body: z.object({
      methods: z.array(z.enum(signInMethods)).meta({
        description: '`provider` only if the address’s domain is verified for an organization with a provider.',
        example: ['password', 'passkey', 'provider'],
      }),
      organization: z
        .object({
          slug: Slug.meta({ description: 'Its slug, for the provider’s start.', example: 'analytical-engines' }),
          name: z.string().meta({ description: 'Its name.', example: 'Analytical Engines' }),
        })
        .optional()
        .describe('The organization whose provider it is; absent without `provider`.'),
    }),
    example: {
      methods: ['password', 'passkey', 'provider'],
      organization: { slug: 'analytical-engines', name: 'Analytical Engines' },
    },
  }),
  errors: ['rate_limited'],
  uses: {
    table: {
      GetItem: ['DOMAIN', 'ORG'],
      BatchGetItem: ['ORG'],
      PutItem: ['AUDIT'],
      UpdateItem: ['DOMAIN', 'ORG', 'RATE'],
    },
    functions: ['make-outbound-requests'],
  },
});

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
    to: dashboardPath.optional().meta({ description: 'The dashboard path to open.', example: '/analytical-engines' }),
    stepUp: flagQuery(
      'Makes the session fresh, if it came through this provider: the same person must sign in again.',
    ).optional(),
    test: flagQuery(
      'Lets an owner test the provider without changes. The browser returns to `to` with `#tested`.',
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
    table: {
      GetItem: ['ISSUER', 'ORG'],
      BatchGetItem: ['ORG', 'RATE'],
      PutItem: ['SIGNIN'],
      UpdateItem: ['ISSUER', 'RATE'],
    },
    dashboardOrigin: true,
    functions: ['make-outbound-requests'],
  },
});

/** The handler checks what the provider sent, because a person in a browser must never get a JSON error for it. */
const parameter = (description: string) => z.string().optional().describe(description);

export const completeProviderSignIn = contract({
  operationId: 'complete-provider-sign-in',
  route: 'GET /v1/auth/provider/{orgSlug}/callback',
  summary: 'Complete a sign-in with the organization’s provider',
  description: [
    'The organization’s redirect URI to register at its provider. Verifies the provider’s response, starts a session ' +
      'of at most 12 hours and sends the browser to the dashboard. The session and the tokens created with it are ' +
      'confined to that organization, until the session steps up with the account’s own password or passkey. Other ' +
      'parameters are ignored. If anything fails, the browser is sent to `/log-in#error=<code>`, and nothing is ' +
      'created. After `second_factor_required`, `POST /v1/auth/provider/factor` continues. The codes:',
    ...Object.entries(signInErrors).map(([code, sentence]) => `- \`${code}\`: ${sentence}`),
  ].join('\n'),
  access: { kind: 'optional' },
  query: z.object({
    state: parameter('As the service sent it to the provider.'),
    code: parameter('The authorization code.'),
    iss: parameter('The issuer (RFC 9207). Required if the provider’s metadata says that it sends it.'),
    error: parameter('Why the provider did not sign the user in.'),
  }),
  foreignQuery: true,
  cookies: [startedSignInCookie],
  responses: redirects({
    description: 'To the dashboard, with the session cookie or an error.',
    body: null,
    headers: { Location: 'A page of the dashboard.', ...cookieHeader },
  }),
  errors: ['insufficient_scope'],
  isWaitedFor: true,
  uses: {
    table: {
      GetItem: ['ISSUER', 'ORG', 'SIGNIN'],
      BatchGetItem: ['DOMAIN', 'EMAIL', 'ISSUER', 'ORG'],
      Query: ['ORG', 'USER'],
      ConditionCheckItem: ['DOMAIN', 'ORG'],
      PutItem: ['AUDIT', 'CHALLENGE', 'EMAIL', 'ORG', 'REVOCATIONS', 'SIGNIN', 'USER'],
      UpdateItem: ['DOMAIN', 'ISSUER', 'ORG', 'PLATFORM', 'RATE'],
      DeleteItem: ['INVITATION', 'ORG', 'SIGNIN', 'USER'],
      BatchWriteItem: ['USER'],
    },
    dashboardOrigin: true,
    key: { credentials: issuing, provider: ['Decrypt'] },
    functions: ['make-outbound-requests'],
  },
});

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
      publicKey: PasskeyRequestOptions.optional().describe('For a passkey, if the account has one.'),
    }),
  }),
  errors: ['invalid_token'],
  servedInMaintenance: true,
  isWaitedFor: true,
  uses: { table: { BatchGetItem: ['CHALLENGE', 'USER'], Query: ['USER'] }, dashboardOrigin: true },
});

export const LinkId = Uuid.meta({ description: 'Link identifier.', example: '3f6a1c94-82d7-4b0e-9c35-71e8d2b4a6f0' });

export const ProviderLink = z
  .object({
    id: LinkId,
    organization: z
      .object({
        id: Uuid.meta({ description: 'Its identifier.', example: '6b1f0e9a-3c52-4d87-9f04-2a7e5c8d1b36' }),
        slug: Slug.meta({ description: 'Its slug.', example: 'analytical-engines' }),
        name: Name.meta({ description: 'Its name.', example: 'Analytical Engines' }),
      })
      .describe('The organization whose provider it is.'),
    issuer: z.string().meta({ description: 'The provider’s issuer.', example: 'https://login.example.com' }),
    createdAt: Timestamp.describe('When the account was linked.'),
    lastUsedAt: Timestamp.nullable().describe('When it was last used to sign in; null if never.'),
  })
  .meta({ id: 'ProviderLink', description: 'A link of the account to an organization’s sign-in provider.' });
export type ProviderLink = z.infer<typeof ProviderLink>;

export const listProviderLinks = contract({
  operationId: 'list-provider-links',
  route: 'GET /v1/auth/providers',
  summary: 'List links to sign-in providers',
  description: 'Lists the organizations whose sign-in provider signs the caller in, newest link first.',
  access: { kind: 'account', tokens: 'full', narrowestToken: 'none' },
  responses: ok({ description: 'The links.', body: z.object({ links: z.array(ProviderLink).describe('The links.') }) }),
  uses: { table: { BatchGetItem: ['ORG'], Query: ['ORG', 'USER'] } },
});

export const endProviderLink = contract({
  operationId: 'end-provider-link',
  route: 'DELETE /v1/auth/providers/{linkId}',
  summary: 'End a link to a sign-in provider',
  description:
    'The provider no longer signs the caller in. Ends the sessions that came through it, and revokes the tokens ' +
    'created with them. The caller stays a member. To link the account again, sign in at the provider and then log ' +
    'in once. Requires a fresh session.',
  access: { kind: 'account', tokens: 'session', narrowestToken: 'none', fresh: 'always' },
  responses: succeeds('The link has ended.'),
  revokes: true,
  uses: {
    table: {
      GetItem: ['USER'],
      BatchGetItem: ['ORG'],
      Query: ['ORG', 'USER'],
      PutItem: ['AUDIT', 'REVOCATIONS', 'USER'],
      DeleteItem: ['USER'],
    },
  },
});
