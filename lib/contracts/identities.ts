import * as z from 'zod';
import { contract } from './contract.ts';
import { changes } from './fields/changes.ts';
import { identityAccesses, identityRoles } from './fields/identity-limits.ts';
import { Claims, DemandedClaims, GivenJwks, IdentityName, Issuer, Jwks } from './fields/identity-rules.ts';
import { Success } from './fields/success.ts';
import { Slug, Timestamp, text, Uuid } from './fields/text.ts';

const area = 'identities';

const described = {
  name: 'What it stands for, shown wherever a member’s e-mail address is.',
  access: 'What its tokens may do: `write` also changes secrets.',
  role: 'The role that it has in the organization.',
  issuer: 'Who signs its tokens: their exact `iss`.',
  claims:
    'What its tokens must say: each claim’s exact value, or a list of them. A name that begins with / is a JSON pointer ' +
    '(RFC 6901) into nested claims. `iss`, `aud` and `sub` alone are not enough.',
  tokenMinutes: 'How many minutes a bearer token is valid that it gets.',
} as const;

const IdentityRole = z.enum(identityRoles).meta({ description: described.role, example: 'viewer' });
const IdentityAccess = z.enum(identityAccesses).meta({ description: described.access, example: 'read' });
const TokenMinutes = z.int().min(5).max(60);

export const Identity = z
  .object({
    id: Uuid.meta({ description: 'Identity identifier.', example: 'a4c7e10b-52d9-8f36-b18e-6d03f9a2c754' }),
    name: z.string().meta({ description: described.name, example: 'web-shop deploy' }),
    access: IdentityAccess,
    role: IdentityRole,
    projectId: Uuid.nullable().meta({ description: 'The only project that it can reach; null for all.' }),
    environmentId: Uuid.nullable().meta({ description: 'The only environment that it can reach; null for all.' }),
    issuer: z.string().meta({ description: described.issuer, example: 'https://token.actions.githubusercontent.com' }),
    claims: Claims.meta({ description: described.claims, example: { repository_id: '74' } }),
    tokenMinutes: z.int().meta({ description: described.tokenMinutes, example: 15 }),
    jwks: Jwks.nullable().meta({ description: 'The keys of the issuer; null where they are fetched from it.' }),
    audience: z.string().meta({
      description: 'The only `aud` that its tokens may have.',
      example: 'holdfast:identity:a4c7e10b-52d9-8f36-b18e-6d03f9a2c754',
    }),
    createdAt: Timestamp.meta({ description: 'When it was created.' }),
    lastUsedAt: Timestamp.nullable().meta({
      description: 'When it last got a token, to within an hour; null if never.',
    }),
  })
  .meta({ id: 'Identity', description: 'A pipeline or workload that signs in with the token of its platform.' });
export type Identity = z.infer<typeof Identity>;

const example = {
  id: 'a4c7e10b-52d9-8f36-b18e-6d03f9a2c754',
  name: 'web-shop deploy',
  access: 'read',
  role: 'developer',
  projectId: '7d5a3b1c-9e2f-4d60-b8a1-4c6e0f9d2a73',
  environmentId: null,
  issuer: 'https://token.actions.githubusercontent.com',
  claims: { repository_id: '74', repository_owner_id: '65', ref: ['refs/heads/main', 'refs/heads/release'] },
  tokenMinutes: 15,
  jwks: null,
  audience: 'holdfast:identity:a4c7e10b-52d9-8f36-b18e-6d03f9a2c754',
  createdAt: '2026-01-31T09:26:53.589Z',
  lastUsedAt: null,
} as const;

const managers = ['owner', 'admin'] as const;
const reading = { kind: 'member', roles: managers, tokens: 'read', narrowestToken: 'organization' } as const;
const changing = {
  kind: 'member',
  roles: managers,
  tokens: 'full',
  narrowestToken: 'organization',
  fresh: 'always',
} as const;

const answer = z.object({ identity: Identity });

export const listIdentities = /* @__PURE__ */ contract({
  operationId: 'list-identities',
  area,
  method: 'GET',
  path: '/v1/identities/{orgId}',
  summary: 'List identities',
  description: 'Lists the organization’s identities. For owners and admins.',
  access: reading,
  responses: {
    200: {
      description: 'The identities.',
      body: z.object({ identities: z.array(Identity).meta({ description: 'The identities, oldest first.' }) }),
      example: { identities: [example] },
    },
  },
  errors: [],
  uses: { table: ['BatchGetItem', 'Query', 'UpdateItem'] },
});

export const createIdentity = /* @__PURE__ */ contract({
  operationId: 'create-identity',
  area,
  method: 'POST',
  path: '/v1/identities/{orgId}',
  summary: 'Create an identity',
  description:
    'Lets a pipeline or workload sign in with the OpenID Connect token of its platform (GitHub Actions, GitLab, Kubernetes ' +
    'and others), so that nobody stores a token there. The platform must issue that token for the identity’s `audience`. Demand ' +
    'identifiers that are never used again: on GitHub `repository_id` and `repository_owner_id`. Events of pull requests ' +
    '(`event_name`) are refused unless the claims name them. For owners and admins.',
  access: changing,
  body: z
    .strictObject({
      name: IdentityName.meta({ description: described.name, example: 'web-shop deploy' }),
      access: IdentityAccess,
      role: IdentityRole,
      projectId: Uuid.optional().meta({
        description: 'Limits it to one project.',
        example: '7d5a3b1c-9e2f-4d60-b8a1-4c6e0f9d2a73',
      }),
      environmentId: Uuid.optional().meta({
        description: 'Limits it to one environment; needs `projectId`.',
        example: 'c41f8e27-06d3-4b9a-a5e2-8d7b3f1c6094',
      }),
      issuer: Issuer.meta({ description: described.issuer, example: 'https://token.actions.githubusercontent.com' }),
      claims: DemandedClaims.meta({ description: described.claims, example: { repository_id: '74' } }),
      tokenMinutes: TokenMinutes.default(15).meta({ description: described.tokenMinutes, example: 15 }),
      jwks: GivenJwks.optional().meta({
        description: 'The keys of an issuer that the service can’t reach. Without it they are fetched from the issuer.',
      }),
    })
    .refine(body => body.projectId !== undefined || body.environmentId === undefined, {
      path: ['projectId'],
      message: 'is required with environmentId',
    }),
  bodyExample: {
    name: 'web-shop deploy',
    access: 'read',
    role: 'developer',
    projectId: '7d5a3b1c-9e2f-4d60-b8a1-4c6e0f9d2a73',
    issuer: 'https://token.actions.githubusercontent.com',
    claims: { repository_id: '74', repository_owner_id: '65', ref: ['refs/heads/main', 'refs/heads/release'] },
  },
  responses: { 201: { description: 'The identity.', body: answer, example: { identity: example } } },
  errors: ['project_not_found', 'environment_not_found', 'identity_limit_reached'],
  uses: {
    table: ['BatchGetItem', 'Query', 'GetItem', 'PutItem', 'UpdateItem', 'ConditionCheckItem'],
    writes: ['ORG', 'USER', 'AUDIT'],
  },
});

export const getIdentity = /* @__PURE__ */ contract({
  operationId: 'get-identity',
  area,
  method: 'GET',
  path: '/v1/identities/{orgId}/{identityId}',
  summary: 'Get an identity',
  description: 'Returns the identity. For owners and admins.',
  access: reading,
  responses: { 200: { description: 'The identity.', body: answer, example: { identity: example } } },
  errors: [],
  uses: { table: ['BatchGetItem', 'GetItem', 'UpdateItem'] },
});

export const updateIdentity = /* @__PURE__ */ contract({
  operationId: 'update-identity',
  area,
  method: 'PATCH',
  path: '/v1/identities/{orgId}/{identityId}',
  summary: 'Update an identity',
  description:
    'Changes the given fields, at least one. A null `projectId` or `environmentId` removes that limit, and null `jwks` lets the ' +
    'keys be fetched from the issuer. Role, access and limits count at once, for tokens that were issued before as well. ' +
    'Changing `issuer`, `claims` or `jwks` ends such tokens. For owners and admins.',
  access: changing,
  body: changes({
    name: IdentityName.optional().meta({ description: described.name, example: 'web-shop deploy' }),
    access: IdentityAccess.optional(),
    role: IdentityRole.optional(),
    projectId: Uuid.nullable().optional().meta({ description: 'Limits it to one project; null for all.' }),
    environmentId: Uuid.nullable().optional().meta({ description: 'Limits it to one environment; null for all.' }),
    issuer: Issuer.optional().meta({ description: described.issuer }),
    claims: DemandedClaims.optional().meta({ description: described.claims }),
    tokenMinutes: TokenMinutes.optional().meta({ description: described.tokenMinutes }),
    jwks: GivenJwks.nullable().optional().meta({ description: 'The keys of the issuer; null where they are fetched.' }),
  }),
  bodyExample: { claims: { repository_id: '74', repository_owner_id: '65', environment: 'production' } },
  responses: {
    200: {
      description: 'The identity after the change.',
      body: answer,
      example: {
        identity: { ...example, claims: { repository_id: '74', repository_owner_id: '65', environment: 'production' } },
      },
    },
  },
  errors: ['project_not_found', 'environment_not_found'],
  uses: {
    table: ['BatchGetItem', 'Query', 'GetItem', 'PutItem', 'UpdateItem', 'ConditionCheckItem'],
    writes: ['ORG', 'AUDIT'],
  },
});

export const deleteIdentity = /* @__PURE__ */ contract({
  operationId: 'delete-identity',
  area,
  method: 'DELETE',
  path: '/v1/identities/{orgId}/{identityId}',
  summary: 'Delete an identity',
  description: 'Deletes the identity. Its tokens end at once. For owners and admins.',
  access: changing,
  responses: { 200: { description: 'The identity is deleted.', body: Success, example: { success: true } } },
  errors: [],
  uses: {
    table: ['BatchGetItem', 'GetItem', 'PutItem', 'UpdateItem', 'DeleteItem'],
    writes: ['ORG', 'USER', 'AUDIT'],
  },
});

export const exchangeAssertion = /* @__PURE__ */ contract({
  operationId: 'exchange-assertion',
  area,
  method: 'POST',
  path: '/v1/auth/exchange',
  summary: 'Sign in as an identity',
  description:
    'Exchanges the OpenID Connect token of a platform for a bearer token with the identity’s role and limits. The token must ' +
    'be signed with RS256, ES256, ES384 or EdDSA, have `exp`, `iat`, and the identity’s audience alone as `aud`, and be at most ten ' +
    'minutes old. Each works once.',
  access: { kind: 'public' },
  body: z.strictObject({
    identityId: Uuid.meta({ description: 'The identity.', example: 'a4c7e10b-52d9-8f36-b18e-6d03f9a2c754' }),
    organizationSlug: Slug.meta({
      description: 'The slug of its organization.',
      example: 'analytical-engines',
    }),
    subjectToken: text(1, 16_384).meta({
      description: 'The OpenID Connect token, a JSON Web Token.',
      example: 'EXAMPLE.id-token.0000',
    }),
  }),
  bodyExample: {
    identityId: 'a4c7e10b-52d9-8f36-b18e-6d03f9a2c754',
    organizationSlug: 'analytical-engines',
    subjectToken: 'EXAMPLE.id-token.0000',
  },
  responses: {
    201: {
      description: 'A bearer token, which is shown only once.',
      body: z.object({
        token: z.string().meta({
          description: 'The bearer token.',
          example: 'service_tok_EXAMPLEnotARealTokenEXAMPLEnotAReal',
        }),
        expiresAt: Timestamp.meta({ description: 'When it expires.' }),
        organizationId: Uuid.meta({ description: 'The organization, as the paths of some routes name it.' }),
      }),
      example: {
        token: 'service_tok_EXAMPLEnotARealTokenEXAMPLEnotAReal',
        expiresAt: '2026-01-31T09:41:53.589Z',
        organizationId: '9b2d6f0e-3c1a-4c5d-8e77-2f4b6a9d0c31',
      },
    },
  },
  errors: ['invalid_assertion', 'claims_mismatch', 'assertion_replayed', 'rate_limited', 'issuer_unavailable'],
  uses: {
    table: ['BatchGetItem', 'GetItem', 'PutItem', 'UpdateItem'],
    reads: ['ORG', 'ISSUER'],
    writes: ['ASSERTION', 'ISSUER', 'ORG', 'USER', 'AUDIT', 'RATE', 'CREDENTIALKEY'],
    key: { credentials: ['GenerateDataKey', 'Decrypt'] },
  },
});
