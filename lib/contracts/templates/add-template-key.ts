import * as z from 'zod';
import { contract, created } from '../contract.ts';
import { managers } from '../fields/role.ts';
import { SecretKey, text } from '../fields/text.ts';
import { TemplateKey, templateKeyExample } from './template-key.ts';

export const addTemplateKey = contract({
  operationId: 'add-template-key',
  route: 'POST /v1/templates/{orgSlug}/{project}',
  summary: 'Add a template key',
  description:
    'Declares a key. Templates are not enforced when secrets are written; environments are validated on ' +
    'request. A pattern is a regular expression in RE2 syntax, which runs in linear time, and must match the ' +
    'whole value. Owners and admins only.',
  access: { kind: 'member', roles: managers, tokens: 'full', narrowestToken: 'project' },
  body: z.strictObject({
    key: SecretKey.meta({ description: 'The secret key.', example: 'DATABASE_HOST' }),
    description: text(0, 1000)
      .optional()
      .meta({ description: 'A description of the key.', example: 'Host of the main database.' }),
    required: z.boolean().default(true).meta({ description: 'Whether every environment must have the key.' }),
    pattern: text(1, 1000)
      .optional()
      .meta({ description: 'A regular expression (RE2) that the whole value must match.', example: '[a-z0-9.-]+' }),
  }),
  bodyExample: {
    key: 'DATABASE_HOST',
    description: 'Host of the main database.',
    required: true,
    pattern: '[a-z0-9.-]+',
  },
  responses: created({
    description: 'The template key.',
    body: z.object({ templateKey: TemplateKey }),
    example: { templateKey: templateKeyExample },
  }),
  errors: ['template_key_exists'],
  uses: { table: ['GetItem', 'Query', 'ConditionCheckItem'], writes: ['ORG', 'AUDIT'] },
});
