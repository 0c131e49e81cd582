import * as z from 'zod';
import { contract, created, ok, succeeds } from '../contract.ts';
import { changes, uniqueList } from '../fields/bodies.ts';
import {
  defaultAssertionAgeMinutes,
  identityAccesses,
  identityRoles,
  maximumAssertionAgeMinutes,
  maximumIdentityEnvironments,
  maximumTokenMinutes,
} from '../fields/identity-limits.ts';
import { Claims, DemandedClaims, GivenJwks, IdentityName, Issuer, Jwks } from '../fields/identity-rules.ts';
import { managers } from '../fields/role.ts';
import { EnvironmentId, IdentityId, ProjectId, Timestamp, UserReference, Uuid } from '../fields/text.ts';

export const TokenMinutes = z.int().min(5).max(maximumTokenMinutes);
export const AssertionAgeMinutes = z.int().min(1).max(maximumAssertionAgeMinutes);

export const described = {
  name: 'The name shown wherever a member’s e-mail address would be.',
  access:
    'What the identity’s tokens may do: `names` never gets a value (see `TokenAccess`), `read` reads secrets, and ' +
    '`write` also changes them.',
  role:
    'The identity’s role in the organization. A `deployer` requires `environmentId` or `environmentIds`: in these ' +
    'environments it may read secrets or, with `write`, also change them, whatever their type. It can’t restore, destroy, ' +
    'promote or delete several secrets at once. Everywhere else it has the rights of a `viewer` limited to these ' +
    'environments.',
  environmentIds:
    'Limits the identity to these environments, of any projects of the organization, such as an environment and the ' +
    'layers below it. Replaces `projectId` and `environmentId`.',
  issuer: 'The issuer of the tokens: their exact `iss`.',
  claims:
    'The claims that tokens must have: for each, the exact value or a list of accepted values. A name that ' +
    'begins with / is a JSON pointer (RFC 6901) to a nested claim. `iss`, `aud` and `sub` alone are not enough. ' +
    'For a shared issuer such as GitHub’s, at least one claim must identify the owner, such as `repository_id`.',
  singleUse:
    'Whether each of the platform’s tokens can be exchanged only once. If false, a token can be exchanged again until ' +
    'it expires or is too old, for workloads that sign in again before their platform renews the token.',
  maxAssertionAgeMinutes: 'How many minutes after it was issued a platform’s token can be exchanged.',
  tokenMinutes: 'How many minutes each bearer token is valid.',
} as const;

export const environmentRequired = 'is required for the role deployer';

export const notWithEnvironmentIds = 'must not be combined with environmentIds';

/** Which of the two other limits are given although environments are. */
export function limitsBesideEnvironments(limits: {
  environmentIds?: readonly string[] | null | undefined;
  projectId?: string | null | undefined;
  environmentId?: string | null | undefined;
}): ('projectId' | 'environmentId')[] {
  if (limits.environmentIds == null) return [];
  return (['projectId', 'environmentId'] as const).filter(name => limits[name] != null);
}

const EnvironmentIds = uniqueList(EnvironmentId, 1, maximumIdentityEnvironments).meta({
  description: described.environmentIds,
  example: ['c41f8e27-06d3-4b9a-a5e2-8d7b3f1c6094'],
});

export const IdentityRole = z.enum(identityRoles).meta({ description: described.role, example: 'viewer' });

export const IdentityAccess = z.enum(identityAccesses).meta({ description: described.access, example: 'read' });

export const Identity = z
  .object({
    id: IdentityId.describe('Identity identifier.'),
    name: z.string().meta({ description: described.name, example: 'web-shop deploy' }),
    access: IdentityAccess,
    role: IdentityRole,
    projectId: Uuid.nullable().describe('The only project that it can access; null for all.'),
    environmentId: Uuid.nullable().describe('The only environment that it can access; null for all.'),
    environmentIds: z
      .array(Uuid)
      .nullable()
      .describe('The only environments that it can access, if it is limited to several; else null.'),
    issuer: z.string().meta({ description: described.issuer, example: 'https://token.actions.githubusercontent.com' }),
    claims: Claims.meta({ description: described.claims, example: { repository_id: '74' } }),
    singleUse: z.boolean().meta({ description: described.singleUse, example: true }),
    maxAssertionAgeMinutes: z
      .int()
      .meta({ description: described.maxAssertionAgeMinutes, example: defaultAssertionAgeMinutes }),
    tokenMinutes: z.int().meta({ description: described.tokenMinutes, example: 15 }),
    jwks: Jwks.nullable().describe('The issuer’s keys; null if they are fetched from the issuer.'),
    audience: z.string().meta({
      description: 'The only `aud` that tokens may have.',
      example: 'holdfast:identity:a4c7e10b-52d9-8f36-b18e-6d03f9a2c754',
    }),
    createdAt: Timestamp.describe('When it was created.'),
    createdBy: UserReference.nullable().describe('Who created it; null if created before this was recorded.'),
    lastUsedAt: Timestamp.nullable().describe('When it last got a token, to within an hour; null if never.'),
    tokensEndedAt: Timestamp.nullable().describe(
      'When a new token last revoked a valid one (at most 100 are valid), to within an hour; null if never.',
    ),
  })
  .meta({ id: 'Identity', description: 'A pipeline or workload that signs in with its platform’s token.' });
export type Identity = z.infer<typeof Identity>;

export const example = {
  role: 'deployer',
  projectId: '7d5a3b1c-9e2f-4d60-b8a1-4c6e0f9d2a73',
  environmentId: 'c41f8e27-06d3-4b9a-a5e2-8d7b3f1c6094',
  environmentIds: null,
  claims: { repository_id: '74', repository_owner_id: '65', environment: 'production' },
} as const;

export const answer = z.object({ identity: Identity });

export const listIdentities = contract({
  operationId: 'list-identities',
  route: 'GET /v1/identities/{orgId}',
  summary: 'List identities',
  description:
    'Lists the organization’s identities. An admin of single projects sees, creates, changes and deletes those that are ' +
    'limited to one of these projects.',
  access: { kind: 'member', roles: managers, tokens: 'read', narrowestToken: 'organization', projectAdmins: true },
  responses: ok({
    description: 'The identities.',
    body: z.object({ identities: z.array(Identity).describe('The identities, oldest first.') }),
    example: { identities: [example] },
  }),
  uses: { table: { BatchGetItem: ['ORG'], Query: ['ORG'] } },
});

const managing = {
  kind: 'member',
  roles: managers,
  tokens: 'full',
  narrowestToken: 'organization',
  fresh: 'always',
  projectAdmins: true,
} as const;

export const createIdentity = contract({
  operationId: 'create-identity',
  route: 'POST /v1/identities/{orgId}',
  summary: 'Create an identity',
  description:
    'Lets a pipeline or workload sign in with the OpenID Connect token of its platform (GitHub Actions, GitLab, ' +
    'Kubernetes and others), so that no token has to be stored there. The platform must issue the token for the ' +
    'identity’s `audience`. Require identifiers that are never reused: on GitHub, `repository_id` and ' +
    '`repository_owner_id`. Pull and merge request events (`event_name`, `pipeline_source` and others) are ' +
    'rejected unless the claims list them. Requires a verified e-mail address.',
  access: managing,
  body: z
    .strictObject({
      name: IdentityName.meta({ description: described.name, example: 'web-shop deploy' }),
      access: IdentityAccess,
      role: IdentityRole,
      projectId: ProjectId.optional().describe('Limits the identity to one project.'),
      environmentId: EnvironmentId.optional().describe(
        'Limits it to one environment of `projectId`. Deployers need it, or `environmentIds`.',
      ),
      environmentIds: EnvironmentIds.optional(),
      issuer: Issuer.meta({ description: described.issuer, example: 'https://token.actions.githubusercontent.com' }),
      claims: DemandedClaims.meta({ description: described.claims, example: { repository_id: '74' } }),
      singleUse: z.boolean().default(true).meta({ description: described.singleUse, example: true }),
      maxAssertionAgeMinutes: AssertionAgeMinutes.default(defaultAssertionAgeMinutes).meta({
        description: described.maxAssertionAgeMinutes,
        example: defaultAssertionAgeMinutes,
      }),
      tokenMinutes: TokenMinutes.default(15).meta({ description: described.tokenMinutes, example: 15 }),
      jwks: GivenJwks.optional().describe('The keys of an unreachable issuer. If omitted, they are fetched.'),
    })
    .refine(body => body.projectId !== undefined || body.environmentId === undefined, {
      path: ['projectId'],
      message: 'is required with environmentId',
    })
    .refine(body => body.role !== 'deployer' || body.environmentId !== undefined || body.environmentIds !== undefined, {
      path: ['environmentId'],
      message: environmentRequired,
    })
    .superRefine((body, context) => {
      for (const name of limitsBesideEnvironments(body)) {
        context.addIssue({ code: 'custom', path: [name], message: notWithEnvironmentIds });
      }
    }),
  bodyExample: {
    name: 'web-shop deploy',
    access: 'read',
    role: 'deployer',
    projectId: '7d5a3b1c-9e2f-4d60-b8a1-4c6e0f9d2a73',
    environmentId: 'c41f8e27-06d3-4b9a-a5e2-8d7b3f1c6094',
    issuer: 'https://token.actions.githubusercontent.com',
    claims: { repository_id: '74', repository_owner_id: '65', environment: 'production' },
  },
  responses: created({ description: 'The identity.', body: answer, example: { identity: example } }),
  errors: ['project_not_found', 'environment_not_found', 'identity_limit_reached', 'email_not_verified'],
  uses: {
    table: {
      BatchGetItem: ['ORG'],
      Query: ['ORG'],
      ConditionCheckItem: ['ORG', 'USER'],
      PutItem: ['AUDIT', 'ORG', 'USER'],
      UpdateItem: ['ORG'],
    },
  },
});

export const getIdentity = contract({
  operationId: 'get-identity',
  route: 'GET /v1/identities/{orgId}/{identityId}',
  summary: 'Get an identity',
  description: 'Returns the identity.',
  access: { kind: 'member', roles: managers, tokens: 'read', narrowestToken: 'organization', projectAdmins: true },
  responses: ok({ description: 'The identity.', body: answer, example: { identity: example } }),
  uses: { table: { GetItem: ['ORG'], BatchGetItem: ['ORG'] } },
});

export const updateIdentity = contract({
  operationId: 'update-identity',
  route: 'PATCH /v1/identities/{orgId}/{identityId}',
  summary: 'Update an identity',
  description:
    'Changes the given fields, at least one. A null `projectId`, `environmentId` or `environmentIds` removes that limit; ' +
    '`environmentIds` replaces the other two. A null `jwks` means that keys are fetched from the issuer. Changes to the ' +
    'role, access and limits apply at once, including to tokens issued earlier. A `deployer` must keep an ' +
    '`environmentId` or `environmentIds`. With `singleUse` false, platform tokens that were already exchanged are ' +
    'accepted again; with true, each is accepted only if it was never exchanged. Changing `issuer`, `claims` or `jwks` ' +
    'invalidates those tokens.',
  access: managing,
  body: changes({
    name: IdentityName.optional().meta({ description: described.name, example: 'web-shop deploy' }),
    access: IdentityAccess.optional(),
    role: IdentityRole.optional(),
    projectId: Uuid.nullable().optional().describe('Limits the identity to one project; null for all.'),
    environmentId: Uuid.nullable().optional().describe('Limits the identity to one environment; null for all.'),
    environmentIds: EnvironmentIds.nullable()
      .optional()
      .describe('Limits the identity to these environments, of any projects; null for all.'),
    issuer: Issuer.optional().describe(described.issuer),
    claims: DemandedClaims.optional().describe(described.claims),
    singleUse: z.boolean().optional().meta({ description: described.singleUse, example: false }),
    maxAssertionAgeMinutes: AssertionAgeMinutes.optional().describe(described.maxAssertionAgeMinutes),
    tokenMinutes: TokenMinutes.optional().describe(described.tokenMinutes),
    jwks: GivenJwks.nullable().optional().describe('The issuer’s keys; null if they are fetched from the issuer.'),
  }),
  bodyExample: { claims: { repository_id: '74', repository_owner_id: '65', ref: 'refs/heads/main' } },
  responses: ok({
    description: 'The identity after the change.',
    body: answer,
    example: {
      identity: { ...example, claims: { repository_id: '74', repository_owner_id: '65', ref: 'refs/heads/main' } },
    },
  }),
  errors: ['project_not_found', 'environment_not_found'],
  uses: {
    table: {
      GetItem: ['ORG'],
      Query: ['ORG'],
      ConditionCheckItem: ['ORG'],
      PutItem: ['AUDIT', 'REVOCATIONS'],
      UpdateItem: ['ORG'],
    },
  },
});

export const deleteIdentity = contract({
  operationId: 'delete-identity',
  route: 'DELETE /v1/identities/{orgId}/{identityId}',
  summary: 'Delete an identity',
  description: 'Deletes the identity. Its tokens stop working at once.',
  access: managing,
  responses: succeeds('The identity was deleted.'),
  revokes: true,
  uses: {
    table: { GetItem: ['ORG'], PutItem: ['AUDIT', 'REVOCATIONS'], UpdateItem: ['ORG'], DeleteItem: ['ORG', 'USER'] },
  },
});
