import * as z from 'zod';
import { contract, ok } from '../contract.ts';
import { changes } from '../fields/bodies.ts';
import { managers } from '../fields/role.ts';
import { text } from '../fields/text.ts';
import { TemplateKey, templateKeyExample } from './template-key.ts';

export const updateTemplateKey = contract({
  operationId: 'update-template-key',
  route: 'PATCH /v1/templates/{orgSlug}/{project}/{key}',
  summary: 'Change a template key',
  description:
    'Changes a template key. A `null` removes the description or the pattern. The same rules apply as for a new ' +
    'key. Owners and admins only.',
  access: { kind: 'member', roles: managers, tokens: 'full', narrowestToken: 'project' },
  notFound: { key: 'template_key_not_found' },
  body: changes({
    description: text(0, 1000)
      .nullable()
      .optional()
      .meta({ description: 'A description of the key; null for none.', example: 'Host of the main database.' }),
    required: z.boolean().optional().meta({ description: 'Whether every environment must have the key.' }),
    pattern: text(1, 1000).nullable().optional().meta({
      description: 'A regular expression (RE2) that the whole value must match; null for none.',
      example: '[a-z0-9.-]+',
    }),
  }),
  bodyExample: { required: false, pattern: null },
  responses: ok({
    description: 'The template key.',
    body: z.object({ templateKey: TemplateKey }),
    example: { templateKey: { description: templateKeyExample.description } },
  }),
  uses: { table: ['GetItem', 'ConditionCheckItem'], writes: ['ORG', 'AUDIT'] },
});
