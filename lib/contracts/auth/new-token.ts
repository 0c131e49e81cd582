import * as z from 'zod';
import { TokenAccess } from '../fields/role.ts';
import { EnvironmentId, Name, OrganizationId, ProjectId } from '../fields/text.ts';
import { CliToken } from './cli-token.ts';

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
