import * as z from 'zod';
import { contract, ok } from '../contract.ts';
import { roles } from '../fields/role.ts';
import { TemplateKey, templateKeyExample } from './template-key.ts';

export const listTemplateKeys = contract({
  operationId: 'list-template-keys',
  route: 'GET /v1/templates/{orgSlug}/{project}',
  summary: 'List template keys',
  description: 'Lists the keys that the project’s environments should have. Available to all members.',
  access: { kind: 'member', roles, tokens: 'read', narrowestToken: 'environment' },
  responses: ok({
    description: 'The template.',
    body: z.object({ keys: z.array(TemplateKey).meta({ description: 'The keys of the template, in key order.' }) }),
    example: { keys: [templateKeyExample] },
  }),
  uses: { table: ['GetItem', 'Query'] },
});
