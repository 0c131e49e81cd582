import * as z from 'zod';
import { TokenAccess } from '../fields/role.ts';
import { EnvironmentId, Name, OrganizationId, ProjectId, Timestamp, Uuid } from '../fields/text.ts';

export const CliToken = z
  .object({
    id: Uuid.meta({ description: 'Token identifier.', example: '3e7c1d94-52a8-4b0f-9a6d-71f0c2e85b46' }),
    name: Name.meta({ description: 'What the token is for.', example: 'deploy pipeline' }),
    prefix: z.string().meta({
      description: 'The first characters of the token, for recognizing it.',
      example: 'service_tok_EXAM',
    }),
    access: TokenAccess,
    organizationId: Uuid.nullable().meta({
      description: 'The only organization it can access; null for all of the user’s organizations.',
    }),
    projectId: Uuid.nullable().meta({ description: 'The only project it can access; null for all.' }),
    environmentId: Uuid.nullable().meta({ description: 'The only environment it can access; null for all.' }),
    createdAt: Timestamp.meta({ description: 'When it was created.' }),
    lastUsedAt: Timestamp.nullable().meta({ description: 'When it was last used, to within an hour; null if never.' }),
    expiresAt: Timestamp.nullable().meta({ description: 'When it expires; null if it never does.' }),
  })
  .meta({ id: 'CliToken', description: 'A bearer token for the CLI or an SDK, without its secret.' });
export type CliToken = z.infer<typeof CliToken>;

export const cliTokenExample = {
  organizationId: '9b2d6f0e-3c1a-4c5d-8e77-2f4b6a9d0c31',
  projectId: '7d5a3b1c-9e2f-4d60-b8a1-4c6e0f9d2a73',
  expiresAt: '2026-05-01T09:26:53.589Z',
} as const;

export const tokenFields = {
  name: Name.meta({ description: 'What the token is for.', example: 'deploy pipeline' }),
  access: TokenAccess.default('full').meta({ description: 'What the token may do, within its user’s role.' }),
  organizationId: OrganizationId.optional().meta({ description: 'Limits the token to one organization.' }),
  projectId: ProjectId.optional().meta({ description: 'Limits the token to one project; requires `organizationId`.' }),
  environmentId: EnvironmentId.optional().meta({
    description: 'Limits the token to one environment; requires `projectId`.',
  }),
  expiresInDays: z
    .int()
    .min(1)
    .max(365)
    .optional()
    .meta({ description: 'Days until the token expires. Without this, it never does.', example: 90 }),
};

/** A narrower limit requires the wider ones, so a forgotten id never silently widens a token. */
export function demandWiderLimits<S extends z.ZodType>(schema: S): S {
  const given = (value: unknown, name: string) =>
    typeof value === 'object' && value !== null && (value as Record<string, unknown>)[name] !== undefined;
  return schema
    .refine(value => given(value, 'organizationId') || !(given(value, 'projectId') || given(value, 'environmentId')), {
      path: ['organizationId'],
      message: 'is required with projectId or environmentId',
      when: () => true,
    })
    .refine(value => given(value, 'projectId') || !given(value, 'environmentId'), {
      path: ['projectId'],
      message: 'is required with environmentId',
      when: () => true,
    });
}

export const tokenExample = 'service_tok_EXAMPLEnotARealTokenEXAMPLEnotAReal';

export const IssuedToken = z
  .object({
    token: z.string().meta({ description: 'The bearer token. It is shown only once.', example: tokenExample }),
    cliToken: CliToken,
  })
  .meta({ id: 'IssuedToken', description: 'A new bearer token and its description.' });
