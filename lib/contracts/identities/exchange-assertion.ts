import * as z from 'zod';
import { contract, created } from '../contract.ts';
import { IdentityId, Slug, Timestamp, text, Uuid } from '../fields/text.ts';

export const exchangeAssertion = contract({
  operationId: 'exchange-assertion',
  route: 'POST /v1/auth/exchange',
  summary: 'Sign in as an identity',
  description:
    'Exchanges a platform’s OpenID Connect token for a bearer token with the identity’s role and limits. The ' +
    'token must be signed with RS256, ES256, ES384 or EdDSA, have `exp` and `iat`, have the identity’s audience ' +
    'as its only `aud`, and be at most the identity’s `maxAssertionAgeMinutes` old. Each token can be exchanged once, ' +
    'or repeatedly if the identity’s `singleUse` is false. An identity has at most 100 valid bearer tokens: ' +
    'issuing another one revokes the oldest, which `endedTokens` and the audit entry report.',
  access: { kind: 'public' },
  body: z.strictObject({
    identityId: IdentityId.describe('The identity’s id.'),
    organizationSlug: Slug.meta({ description: 'The slug of its organization.', example: 'analytical-engines' }),
    subjectToken: text(1, 16_384).meta({ description: 'The OpenID Connect token.', example: 'EXAMPLE.id-token.0000' }),
  }),
  bodyExample: {
    identityId: 'a4c7e10b-52d9-8f36-b18e-6d03f9a2c754',
    organizationSlug: 'analytical-engines',
    subjectToken: 'EXAMPLE.id-token.0000',
  },
  responses: created({
    description: 'A bearer token. It is shown only once.',
    body: z.object({
      token: z.string().meta({ description: 'The token.', example: 'service_tok_EXAMPLEnotARealTokenEXAMPLEnotAReal' }),
      expiresAt: Timestamp.describe('When it expires.'),
      endedTokens: z.int().meta({ description: 'How many valid tokens this revoked, oldest first.', example: 0 }),
      organizationId: Uuid.describe('The organization’s identifier, which some routes have in their path.'),
    }),
    example: { expiresAt: '2026-01-31T09:41:53.589Z', organizationId: '9b2d6f0e-3c1a-4c5d-8e77-2f4b6a9d0c31' },
  }),
  errors: [
    'invalid_assertion',
    'claims_mismatch',
    'network_not_allowed',
    'assertion_replayed',
    'rate_limited',
    'issuer_unavailable',
  ],
  servedInMaintenance: true,
  servedDirectly: true,
  isWaitedFor: true,
  uses: {
    table: {
      GetItem: ['ISSUER', 'USER'],
      BatchGetItem: ['ISSUER', 'ORG', 'RATE', 'USER'],
      PutItem: ['ASSERTION', 'AUDIT', 'USER'],
      UpdateItem: ['ISSUER', 'ORG', 'RATE', 'USER'],
      DeleteItem: ['USER'],
    },
    key: { credentials: ['GenerateDataKey', 'Decrypt'] },
    functions: ['make-outbound-requests'],
  },
});
