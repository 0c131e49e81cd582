import * as z from 'zod';
import { EnvironmentId, line, ProjectId, Timestamp, UserReference, Uuid } from './text.ts';

const accesses = ['read', 'write'] as const;

const GrantAccess = z.enum(accesses).meta({
  description:
    '`read` allows reading the environment’s secrets. `write` allows setting, importing, promoting and deleting single ' +
    'secrets there; it includes neither reading nor restoring or deleting several at once.',
  example: 'read',
});

/** How many grants a member has at a time, and how many open requests. */
export const maximumGrants = 20;
export const maximumGrantRequests = 10;

export const grantMinutes = { minimum: 5, maximum: 1440 } as const;

const fields = {
  minutes: z
    .int()
    .min(grantMinutes.minimum)
    .max(grantMinutes.maximum)
    .meta({ description: 'For how many minutes.', example: 60 }),
  reason: line(1, 200).meta({
    description: 'The reason, in one line. The audit log and e-mails show it: never include a secret.',
    example: 'Find out why payments fail',
  }),
};

/** What is given or asked for. */
export const givenGrant = {
  environmentId: EnvironmentId.describe('The environment.'),
  access: GrantAccess,
  ...fields,
};

export const givenGrantExample = {
  environmentId: 'c41f8e27-06d3-4b9a-a5e2-8d7b3f1c6094',
  access: 'read',
  minutes: 60,
  reason: 'Find out why payments fail',
} as const;

const whose = {
  memberId: Uuid.meta({ description: 'Member identifier.', example: '1c7f5e3a-8b29-4d06-a1f4-3e9d7c0b5a82' }),
  email: z.string().meta({ description: 'The member’s e-mail address.', example: 'grace@example.com' }),
};

export const Grant = z
  .object({
    id: Uuid.meta({ description: 'Grant identifier.', example: 'd3a91c57-4e06-4f8b-9b2d-71c5e8a0f364' }),
    ...whose,
    projectId: ProjectId.describe('The environment’s project.'),
    environmentId: EnvironmentId.describe('The environment.'),
    access: GrantAccess,
    reason: fields.reason,
    createdAt: Timestamp.describe('When it was given.'),
    expiresAt: Timestamp.meta({ description: 'When it ends by itself.', example: '2026-01-31T10:26:53.589Z' }),
    createdBy: UserReference.describe('Who gave it.'),
  })
  .meta({
    id: 'Grant',
    description: 'Access of a member to one environment, beyond their role and for a limited time.',
  });
export type Grant = z.infer<typeof Grant>;

export const GrantRequest = z
  .object({
    id: Uuid.meta({ description: 'Request identifier.', example: '5e8c2f90-7d41-4a3b-8c6e-19b4d7f0a825' }),
    ...whose,
    projectId: ProjectId.describe('The environment’s project.'),
    ...givenGrant,
    createdAt: Timestamp.describe('When it was sent.'),
    expiresAt: Timestamp.meta({ description: 'When it is gone.', example: '2026-02-01T09:26:53.589Z' }),
  })
  .meta({ id: 'GrantRequest', description: 'A member’s open request for a grant.' });
export type GrantRequest = z.infer<typeof GrantRequest>;
