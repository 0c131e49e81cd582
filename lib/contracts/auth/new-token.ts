import * as z from 'zod';
import { Name, Uuid } from '../fields/text.ts';
import { TokenAccess } from '../fields/token-access.ts';
import { CliToken } from './cli-token.ts';

export const tokenFields = {
  name: Name.meta({ description: 'What the token is for.', example: 'deploy pipeline' }),
  access: TokenAccess.default('full').meta({ description: 'What the token may do, within its user’s role.' }),
  organizationId: Uuid.optional().meta({
    description: 'Limits the token to one organization.',
    example: '9b2d6f0e-3c1a-4c5d-8e77-2f4b6a9d0c31',
  }),
  projectId: Uuid.optional().meta({
    description: 'Limits the token to one project; requires `organizationId`.',
    example: '7d5a3b1c-9e2f-4d60-b8a1-4c6e0f9d2a73',
  }),
  environmentId: Uuid.optional().meta({
    description: 'Limits the token to one environment; requires `projectId`.',
    example: 'c41f8e27-06d3-4b9a-a5e2-8d7b3f1c6094',
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
