import * as z from 'zod';
import { contract, ok } from '../contract.ts';
import { Issuer } from '../fields/identity-rules.ts';
import { access, answer, ClientId, ClientSecret, DefaultRole, Domains, described } from './sign-in.ts';

export const setSignIn = contract({
  operationId: 'set-sign-in',
  route: 'PUT /v1/orgs/{orgId}/sign-in',
  summary: 'Set the sign-in provider',
  description:
    'Lets members sign in with their company’s OpenID Connect provider. Domains that stay in the list stay verified, ' +
    'and dropped ones become free for other organizations. `required` needs an owner with a passkey or an ' +
    'authenticator app (403 `second_factor_required`). Owners with a verified e-mail address only.',
  access,
  body: z.strictObject({
    issuer: Issuer.meta({ description: described.issuer, example: 'https://login.example.com' }),
    clientId: ClientId.meta({ description: described.clientId }),
    clientSecret: ClientSecret.optional().meta({
      description:
        'The client’s secret. If omitted, the stored one is kept unless the issuer or the client changes. A public ' +
        'client has none.',
    }),
    domains: Domains.meta({ description: described.domains, example: ['example.com'] }),
    defaultRole: DefaultRole.default(null).meta({ description: described.defaultRole, example: 'viewer' }),
    required: z.boolean().default(false).meta({ description: described.required }),
    trustFactor: z.boolean().default(false).meta({ description: described.trustFactor }),
    trustEmail: z.boolean().default(false).meta({ description: described.trustEmail }),
    acceptRoundTrip: z.boolean().default(false).meta({ description: described.acceptRoundTrip }),
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
    dashboardOrigin: true,
    table: ['Query', 'BatchGetItem', 'GetItem', 'DeleteItem', 'ConditionCheckItem'],
    reads: ['ORGID', 'USER'],
    writes: ['ORG', 'DOMAIN', 'USER', 'AUDIT'],
    key: { provider: ['Encrypt'] },
  },
});
