import * as z from 'zod';
import { contract, ok } from '../contract.ts';
import { Email, Slug } from '../fields/text.ts';

const signInMethods = ['password', 'passkey', 'provider'] as const;

export const findSignInMethods = contract({
  operationId: 'find-sign-in-methods',
  route: 'GET /v1/auth/sign-in',
  summary: 'Find out how an address can sign in',
  description:
    'Returns the methods for the log-in page. It only tells whether a verified domain has a sign-in provider: the ' +
    'response is the same for all addresses of a domain, whether they have an account or not. Limited per client IP ' +
    'address.',
  access: { kind: 'public' },
  query: z.strictObject({
    email: Email.meta({ description: 'The e-mail address, in upper or lower case.', example: 'ada@example.com' }),
  }),
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
        .meta({ description: 'The organization whose provider it is; absent without `provider`.' }),
    }),
    example: {
      methods: ['password', 'passkey', 'provider'],
      organization: { slug: 'analytical-engines', name: 'Analytical Engines' },
    },
  }),
  errors: ['rate_limited'],
  uses: {
    table: ['BatchGetItem', 'GetItem', 'PutItem', 'UpdateItem'],
    reads: ['DOMAIN', 'ORG', 'RATE'],
    writes: ['DOMAIN', 'ORG', 'AUDIT', 'RATE'],
    functions: ['make-outbound-requests'],
  },
});
