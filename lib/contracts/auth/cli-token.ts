import * as z from 'zod';
import { TokenAccess } from '../fields/role.ts';
import { Name, Timestamp, Uuid } from '../fields/text.ts';

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
