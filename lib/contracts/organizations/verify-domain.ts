import * as z from 'zod';
import { contract, ok } from '../contract.ts';
import { access, answer, Domain } from './sign-in.ts';

export const verifyDomain = contract({
  operationId: 'verify-domain',
  route: 'POST /v1/orgs/{orgId}/sign-in/domains/verify',
  summary: 'Verify a domain',
  description:
    'Looks up the domain’s TXT records. If one of them is the domain’s `txtRecord`, addresses of the domain can sign ' +
    'in through the provider. A domain can be verified for one organization only. Owners with a verified e-mail ' +
    'address only.',
  access,
  body: z.strictObject({ domain: Domain.meta({ description: 'One of the provider’s domains.' }) }),
  bodyExample: { domain: 'example.com' },
  responses: ok({
    description: 'The domain is verified.',
    body: answer,
    example: { signIn: { domains: [{ verified: true }] } },
  }),
  errors: ['email_not_verified', 'domain_not_verified', 'domain_taken'],
  uses: {
    dashboardOrigin: true,
    table: ['Query', 'BatchGetItem', 'GetItem', 'PutItem', 'UpdateItem', 'ConditionCheckItem'],
    queries: ['ORG'],
    reads: ['ORGID', 'ORG', 'DOMAIN', 'RATE'],
    writes: ['ORG', 'DOMAIN', 'AUDIT'],
    functions: ['make-outbound-requests'],
    mail: true,
  },
});
