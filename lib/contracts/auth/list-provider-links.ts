import * as z from 'zod';
import { contract, ok } from '../contract.ts';
import { Name, Slug, Timestamp, Uuid } from '../fields/text.ts';

export const LinkId = Uuid.meta({ description: 'Link identifier.', example: '3f6a1c94-82d7-4b0e-9c35-71e8d2b4a6f0' });

export const ProviderLink = z
  .object({
    id: LinkId,
    organization: z
      .object({
        id: Uuid.meta({ description: 'Its identifier.', example: '6b1f0e9a-3c52-4d87-9f04-2a7e5c8d1b36' }),
        slug: Slug.meta({ description: 'Its slug.', example: 'analytical-engines' }),
        name: Name.meta({ description: 'Its name.', example: 'Analytical Engines' }),
      })
      .meta({ description: 'The organization whose provider it is.' }),
    issuer: z.string().meta({ description: 'The provider’s issuer.', example: 'https://login.example.com' }),
    createdAt: Timestamp.meta({ description: 'When the account was linked.' }),
    lastUsedAt: Timestamp.nullable().meta({ description: 'When it was last used to sign in; null if never.' }),
  })
  .meta({ id: 'ProviderLink', description: 'A link of the account to an organization’s sign-in provider.' });
export type ProviderLink = z.infer<typeof ProviderLink>;

export const listProviderLinks = contract({
  operationId: 'list-provider-links',
  route: 'GET /v1/auth/providers',
  summary: 'List links to sign-in providers',
  description: 'Lists the organizations whose sign-in provider signs the caller in, newest link first.',
  access: { kind: 'account', tokens: 'full', narrowestToken: 'none' },
  responses: ok({
    description: 'The links.',
    body: z.object({ links: z.array(ProviderLink).meta({ description: 'The links.' }) }),
  }),
  uses: { table: ['Query', 'BatchGetItem'], reads: ['USER', 'ORG'] },
});
