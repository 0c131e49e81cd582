import * as z from 'zod';
import { contract, ok } from '../contract.ts';
import { changes } from '../fields/bodies.ts';
import { DemandedClaims, GivenJwks, IdentityName, Issuer } from '../fields/identity-rules.ts';
import { managers } from '../fields/role.ts';
import { Uuid } from '../fields/text.ts';
import {
  AssertionAgeMinutes,
  answer,
  described,
  example,
  IdentityAccess,
  IdentityRole,
  TokenMinutes,
} from './identity.ts';

export const updateIdentity = contract({
  operationId: 'update-identity',
  route: 'PATCH /v1/identities/{orgId}/{identityId}',
  summary: 'Update an identity',
  description:
    'Changes the given fields, at least one. A null `projectId` or `environmentId` removes that limit; a null ' +
    '`jwks` means that keys are fetched from the issuer. Changes to the role, access and limits apply at once, ' +
    'including to tokens issued earlier. A `deployer` must keep an `environmentId`. Once `singleUse` is false, tokens ' +
    'of the platform that were rejected as already exchanged are accepted; once it is true, each is accepted only if ' +
    'it was never exchanged. Changing `issuer`, `claims` or `jwks` invalidates those tokens. ' +
    'Owners and admins only.',
  access: { kind: 'member', roles: managers, tokens: 'full', narrowestToken: 'organization', fresh: 'always' },
  body: changes({
    name: IdentityName.optional().meta({ description: described.name, example: 'web-shop deploy' }),
    access: IdentityAccess.optional(),
    role: IdentityRole.optional(),
    projectId: Uuid.nullable().optional().meta({ description: 'Limits the identity to one project; null for all.' }),
    environmentId: Uuid.nullable()
      .optional()
      .meta({ description: 'Limits the identity to one environment; null for all.' }),
    issuer: Issuer.optional().meta({ description: described.issuer }),
    claims: DemandedClaims.optional().meta({ description: described.claims }),
    singleUse: z.boolean().optional().meta({ description: described.singleUse, example: false }),
    maxAssertionAgeMinutes: AssertionAgeMinutes.optional().meta({ description: described.maxAssertionAgeMinutes }),
    tokenMinutes: TokenMinutes.optional().meta({ description: described.tokenMinutes }),
    jwks: GivenJwks.nullable()
      .optional()
      .meta({ description: 'The issuer’s keys; null if they are fetched from the issuer.' }),
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
  uses: { table: ['Query', 'GetItem', 'ConditionCheckItem'], writes: ['ORG', 'AUDIT'] },
});
