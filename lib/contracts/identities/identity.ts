import * as z from 'zod';
import {
  defaultAssertionAgeMinutes,
  identityAccesses,
  identityRoles,
  maximumAssertionAgeMinutes,
  maximumTokenMinutes,
} from '../fields/identity-limits.ts';
import { Claims, Jwks } from '../fields/identity-rules.ts';
import { IdentityId, Timestamp, UserReference, Uuid } from '../fields/text.ts';

export const TokenMinutes = z.int().min(5).max(maximumTokenMinutes);
export const AssertionAgeMinutes = z.int().min(1).max(maximumAssertionAgeMinutes);

export const described = {
  name: 'The name shown wherever a member’s e-mail address would be.',
  access: 'What the identity’s tokens may do: `write` also changes secrets.',
  role:
    'The identity’s role in the organization. A `deployer` requires `environmentId`: in that environment it may read ' +
    'secrets or, with `write`, also change them, whatever the environment’s type. It can’t restore, destroy, promote or ' +
    'delete several secrets at once. Everywhere else it has the rights of a `viewer` limited to that environment.',
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

export const IdentityRole = z.enum(identityRoles).meta({ description: described.role, example: 'viewer' });

export const IdentityAccess = z.enum(identityAccesses).meta({ description: described.access, example: 'read' });

export const Identity = z
  .object({
    id: IdentityId.meta({ description: 'Identity identifier.' }),
    name: z.string().meta({ description: described.name, example: 'web-shop deploy' }),
    access: IdentityAccess,
    role: IdentityRole,
    projectId: Uuid.nullable().meta({ description: 'The only project that it can access; null for all.' }),
    environmentId: Uuid.nullable().meta({ description: 'The only environment that it can access; null for all.' }),
    issuer: z.string().meta({ description: described.issuer, example: 'https://token.actions.githubusercontent.com' }),
    claims: Claims.meta({ description: described.claims, example: { repository_id: '74' } }),
    singleUse: z.boolean().meta({ description: described.singleUse, example: true }),
    maxAssertionAgeMinutes: z
      .int()
      .meta({ description: described.maxAssertionAgeMinutes, example: defaultAssertionAgeMinutes }),
    tokenMinutes: z.int().meta({ description: described.tokenMinutes, example: 15 }),
    jwks: Jwks.nullable().meta({ description: 'The issuer’s keys; null if they are fetched from the issuer.' }),
    audience: z.string().meta({
      description: 'The only `aud` that tokens may have.',
      example: 'holdfast:identity:a4c7e10b-52d9-8f36-b18e-6d03f9a2c754',
    }),
    createdAt: Timestamp.meta({ description: 'When it was created.' }),
    createdBy: UserReference.nullable().meta({
      description: 'Who created it; null for an identity created before this was recorded.',
    }),
    lastUsedAt: Timestamp.nullable().meta({
      description: 'When it last got a token, to within an hour; null if never.',
    }),
    tokensEndedAt: Timestamp.nullable().meta({
      description:
        'When a new token last ended one that was still valid, because an identity has at most 100, to within an hour; ' +
        'null if never.',
    }),
  })
  .meta({ id: 'Identity', description: 'A pipeline or workload that signs in with its platform’s token.' });
export type Identity = z.infer<typeof Identity>;

export const example = {
  role: 'deployer',
  projectId: '7d5a3b1c-9e2f-4d60-b8a1-4c6e0f9d2a73',
  environmentId: 'c41f8e27-06d3-4b9a-a5e2-8d7b3f1c6094',
  claims: { repository_id: '74', repository_owner_id: '65', environment: 'production' },
} as const;

export const answer = z.object({ identity: Identity });
