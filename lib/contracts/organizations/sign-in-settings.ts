import * as z from 'zod';
import { contract, ok, succeeds } from '../contract.ts';
import { uniqueList } from '../fields/bodies.ts';
import { Issuer } from '../fields/identity-rules.ts';
import { RoleRule, RoleRules, recheckDaysBounds } from '../fields/role-rule.ts';
import { line, Timestamp } from '../fields/text.ts';

export const maximumDomains = 20;

/** A host name with at least two labels (RFC 1123). Domains are compared case-insensitively. */
export const Domain = z
  .string()
  .toLowerCase()
  .regex(/^(?=.{4,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])$/, {
    message: 'must be a domain such as example.com',
  })
  .meta({ example: 'example.com' });

export const Domains = uniqueList(Domain, 1, maximumDomains);

export const ClientId = line(1, 500).meta({ example: 'EXAMPLE-client-id' });

/** Visible ASCII, as RFC 6749 (appendix A.2) has it. */
export const ClientSecret = z
  .string()
  .regex(/^[\x20-\x7e]{1,1000}$/, { message: 'must have 1 to 1000 visible ASCII characters' })
  .meta({ example: 'EXAMPLE-client-secret' });

/** Provider sign-in can't make somebody an owner or admin. */
export const defaultRoles = ['viewer', 'developer'] as const;
export const DefaultRole = z.enum(defaultRoles).nullable();

export const described = {
  issuer: 'The provider’s issuer URL, exactly as in its tokens.',
  clientId: 'The client’s identifier at the provider.',
  domains: 'The domains of the organization’s e-mail addresses.',
  defaultRole: 'The role of a person who first signs in without an invitation; null if an invitation is required.',
  required:
    'Whether members have to sign in through the provider. Owners can still log in with a passkey or authenticator ' +
    'app added before that or at least seven days ago. Each such log-in is mailed to all owners.',
  trustFactor: 'Whether a second factor that the provider reports (`amr`, `acr`) counts as one here.',
  trustEmail:
    'Whether an address in a verified domain counts even if the provider sends no `email_verified`, like Entra ID. ' +
    'Only for an issuer that belongs to one customer; Entra’s must name a tenant.',
  roleRules:
    'What members get by the claims of their id token, at each sign-in through the provider. Of the rules that match, ' +
    'the highest role counts, in the organization and in each project; `limited` only if all rules with a role say ' +
    'so. If none matches, `defaultRole` counts, and without one, memberships that the provider made end. Rules only ' +
    'add to what a person gave, and never change an owner.',
  recheckDays:
    'For how many days a member’s last sign-in through the provider keeps their tokens valid here; null for no limit. ' +
    'Members who never signed in through the provider, and identities, are not affected.',
  acceptRoundTrip: 'Whether a confirmation without `auth_time` counts as recent in the session that requested it.',
};

export const SignIn = z
  .object({
    issuer: z.string().meta({ description: described.issuer, example: 'https://login.example.com' }),
    clientId: z.string().meta({ description: described.clientId, example: 'EXAMPLE-client-id' }),
    hasClientSecret: z.boolean().describe('Whether a client secret is stored. It is never returned.'),
    redirectUri: z.string().meta({
      description: 'The redirect URI to register at the provider.',
      example: 'https://app.example.com/v1/auth/provider/analytical-engines/callback',
    }),
    domains: z
      .array(
        z.object({
          domain: Domain.describe('The domain.'),
          verified: z.boolean().describe('Whether the organization has proved that it controls it.'),
          txtRecord: z.string().meta({ description: 'Its TXT record.', example: 'holdfast-verification=EXAMPLE' }),
        }),
      )
      .describe(described.domains),
    defaultRole: DefaultRole.meta({ description: described.defaultRole, example: 'viewer' }),
    required: z.boolean().describe(described.required),
    trustFactor: z.boolean().describe(described.trustFactor),
    trustEmail: z.boolean().describe(described.trustEmail),
    acceptRoundTrip: z.boolean().describe(described.acceptRoundTrip),
    roleRules: z.array(RoleRule).meta({ description: described.roleRules, example: [] }),
    recheckDays: z.int().nullable().meta({ description: described.recheckDays, example: null }),
    updatedAt: Timestamp.describe('When it was last changed.'),
  })
  .meta({ id: 'SignIn', description: 'How an organization’s members sign in with their company’s provider.' });
export type SignIn = z.infer<typeof SignIn>;

export const answer = z.object({ signIn: SignIn });

/** Its owner, with a fresh session and a verified address: whoever sets the provider decides who gets in. No token may. */
export const access = {
  kind: 'member',
  roles: ['owner'],
  tokens: 'session',
  narrowestToken: 'none',
  fresh: 'always',
} as const;

export const getSignIn = contract({
  operationId: 'get-sign-in',
  route: 'GET /v1/orgs/{orgId}/sign-in',
  summary: 'Get the sign-in provider',
  description: 'Returns the provider’s settings without the client secret. Requires a verified e-mail address.',
  access,
  responses: ok({
    description: 'The provider.',
    body: z.object({
      redirectUri: z.string().meta({
        description: 'The redirect URI to register at the provider, also before one is set.',
        example: 'https://app.example.com/v1/auth/provider/analytical-engines/callback',
      }),
      signIn: SignIn.nullable().describe('The provider; null if none is set.'),
    }),
  }),
  errors: ['email_not_verified'],
  uses: { table: { GetItem: ['ORG'] }, dashboardOrigin: true },
});

export const setSignIn = contract({
  operationId: 'set-sign-in',
  route: 'PUT /v1/orgs/{orgId}/sign-in',
  summary: 'Set the sign-in provider',
  description:
    'Lets members sign in with their company’s OpenID Connect provider. Domains that stay in the list stay verified, ' +
    'and dropped ones become free for other organizations. `required` requires an owner with a passkey, or with a ' +
    'password and an authenticator app (403 `second_factor_required`). A rule that names a project that is not there ' +
    'is rejected. Requires a verified e-mail address.',
  access,
  body: z.strictObject({
    issuer: Issuer.meta({ description: described.issuer, example: 'https://login.example.com' }),
    clientId: ClientId.describe(described.clientId),
    clientSecret: ClientSecret.optional().describe(
      'If omitted, the stored one is kept unless the issuer or client changes. A public client has none.',
    ),
    domains: Domains.meta({ description: described.domains, example: ['example.com'] }),
    defaultRole: DefaultRole.default(null).meta({ description: described.defaultRole, example: 'viewer' }),
    required: z.boolean().default(false).describe(described.required),
    trustFactor: z.boolean().default(false).describe(described.trustFactor),
    trustEmail: z.boolean().default(false).describe(described.trustEmail),
    acceptRoundTrip: z.boolean().default(false).describe(described.acceptRoundTrip),
    roleRules: RoleRules.default([]).meta({ description: described.roleRules, example: [] }),
    recheckDays: z
      .int()
      .min(recheckDaysBounds.minimum)
      .max(recheckDaysBounds.maximum)
      .nullable()
      .default(null)
      .meta({ description: described.recheckDays, example: null }),
  }),
  bodyExample: {
    issuer: 'https://login.example.com',
    clientId: 'EXAMPLE-client-id',
    clientSecret: 'EXAMPLE-client-secret',
    domains: ['example.com'],
    defaultRole: 'viewer',
  },
  responses: ok({ description: 'The provider.', body: answer }),
  errors: ['email_not_verified'],
  uses: {
    table: {
      GetItem: ['ORG', 'ORGID'],
      Query: ['ORG', 'USER'],
      ConditionCheckItem: ['ORG', 'USER'],
      PutItem: ['AUDIT', 'ORG'],
      UpdateItem: ['ORG'],
      DeleteItem: ['DOMAIN'],
    },
    dashboardOrigin: true,
    key: { provider: ['Encrypt'] },
  },
});

export const verifyDomain = contract({
  operationId: 'verify-domain',
  route: 'POST /v1/orgs/{orgId}/sign-in/domains/verify',
  summary: 'Verify a domain',
  description:
    'Looks up the domain’s TXT records. If one of them is the domain’s `txtRecord`, addresses of the domain can sign ' +
    'in through the provider. A domain can be verified for one organization only. Requires a verified e-mail address.',
  access,
  body: z.strictObject({ domain: Domain.describe('One of the provider’s domains.') }),
  bodyExample: { domain: 'example.com' },
  responses: ok({ description: 'Verified.', body: answer, example: { signIn: { domains: [{ verified: true }] } } }),
  errors: ['email_not_verified', 'domain_not_verified', 'domain_taken'],
  uses: {
    table: {
      GetItem: ['DOMAIN', 'ORG', 'ORGID'],
      BatchGetItem: ['RATE'],
      Query: ['ORG'],
      ConditionCheckItem: ['ORG'],
      PutItem: ['AUDIT', 'DOMAIN'],
      UpdateItem: ['ORG', 'RATE'],
    },
    dashboardOrigin: true,
    functions: ['make-outbound-requests'],
    mail: true,
  },
});

export const deleteSignIn = contract({
  operationId: 'delete-sign-in',
  route: 'DELETE /v1/orgs/{orgId}/sign-in',
  summary: 'Remove the sign-in provider',
  description:
    'Nobody can sign in through the provider any more, and it is no longer required. Members and their sessions stay. ' +
    'The domains become free for other organizations. Requires a verified e-mail address.',
  access,
  responses: succeeds('There is no provider any more.'),
  errors: ['email_not_verified'],
  uses: { table: { GetItem: ['ORG'], PutItem: ['AUDIT'], UpdateItem: ['ORG'], DeleteItem: ['DOMAIN', 'ORG'] } },
});
