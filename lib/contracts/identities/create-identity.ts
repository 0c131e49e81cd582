import * as z from 'zod';
import { contract, created } from '../contract.ts';
import { defaultAssertionAgeMinutes } from '../fields/identity-limits.ts';
import { DemandedClaims, GivenJwks, IdentityName, Issuer } from '../fields/identity-rules.ts';
import { managers } from '../fields/role.ts';
import { EnvironmentId, ProjectId } from '../fields/text.ts';
import {
  AssertionAgeMinutes,
  answer,
  described,
  environmentRequired,
  example,
  IdentityAccess,
  IdentityRole,
  TokenMinutes,
} from './identity.ts';

export const createIdentity = contract({
  operationId: 'create-identity',
  route: 'POST /v1/identities/{orgId}',
  summary: 'Create an identity',
  description:
    'Lets a pipeline or workload sign in with the OpenID Connect token of its platform (GitHub Actions, GitLab, ' +
    'Kubernetes and others), so that no token has to be stored there. The platform must issue the token for the ' +
    'identity’s `audience`. Require identifiers that are never reused: on GitHub, `repository_id` and ' +
    '`repository_owner_id`. Pull and merge request events (`event_name`, `pipeline_source` and others) are ' +
    'rejected unless the claims list them. Limited to owners and admins with a verified e-mail address.',
  access: { kind: 'member', roles: managers, tokens: 'full', narrowestToken: 'organization', fresh: 'always' },
  body: z
    .strictObject({
      name: IdentityName.meta({ description: described.name, example: 'web-shop deploy' }),
      access: IdentityAccess,
      role: IdentityRole,
      projectId: ProjectId.optional().meta({ description: 'Limits the identity to one project.' }),
      environmentId: EnvironmentId.optional().meta({
        description: 'Limits the identity to one environment; requires `projectId`. Required for a deployer.',
      }),
      issuer: Issuer.meta({ description: described.issuer, example: 'https://token.actions.githubusercontent.com' }),
      claims: DemandedClaims.meta({ description: described.claims, example: { repository_id: '74' } }),
      singleUse: z.boolean().default(true).meta({ description: described.singleUse, example: true }),
      maxAssertionAgeMinutes: AssertionAgeMinutes.default(defaultAssertionAgeMinutes).meta({
        description: described.maxAssertionAgeMinutes,
        example: defaultAssertionAgeMinutes,
      }),
      tokenMinutes: TokenMinutes.default(15).meta({ description: described.tokenMinutes, example: 15 }),
      jwks: GivenJwks.optional().meta({
        description:
          'The keys of an issuer that the service can’t reach. If omitted, they are fetched from the issuer.',
      }),
    })
    .refine(body => body.projectId !== undefined || body.environmentId === undefined, {
      path: ['projectId'],
      message: 'is required with environmentId',
    })
    .refine(body => body.role !== 'deployer' || body.environmentId !== undefined, {
      path: ['environmentId'],
      message: environmentRequired,
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
  uses: { table: ['Query', 'GetItem', 'ConditionCheckItem'], writes: ['ORG', 'USER', 'AUDIT'] },
});
