import * as z from 'zod';
import { contract, created, ok, succeeds } from '../contract.ts';
import { changes } from '../fields/bodies.ts';
import { managers, roles } from '../fields/role.ts';
import { SecretKey, Timestamp, text } from '../fields/text.ts';

export const TemplateKey = z
  .object({
    key: SecretKey.meta({ description: 'The secret key that the template declares.', example: 'DATABASE_HOST' }),
    description: z.string().optional().meta({ description: 'Its description.', example: 'Host of the main database.' }),
    required: z.boolean().describe('Whether every environment must have the key.'),
    pattern: z.string().optional().meta({ description: 'RE2 pattern for the whole value.', example: '[a-z0-9.-]+' }),
    createdAt: Timestamp.describe('When it was added.'),
  })
  .meta({ id: 'TemplateKey', description: 'A key that the project’s environments should have.' });
export type TemplateKey = z.infer<typeof TemplateKey>;

export const templateKeyExample = { description: 'Host of the main database.', required: true, pattern: '[a-z0-9.-]+' };

export const listTemplateKeys = contract({
  operationId: 'list-template-keys',
  route: 'GET /v1/templates/{orgSlug}/{project}',
  summary: 'List template keys',
  description: 'Lists the keys that the project’s environments should have.',
  access: { kind: 'member', roles, tokens: 'read', narrowestToken: 'environment', granted: true },
  responses: ok({
    description: 'The template.',
    body: z.object({ keys: z.array(TemplateKey).describe('The keys of the template, in key order.') }),
    example: { keys: [templateKeyExample] },
  }),
  uses: { table: { GetItem: ['ORG'], Query: ['ORG'] } },
});

export const addTemplateKey = contract({
  operationId: 'add-template-key',
  route: 'POST /v1/templates/{orgSlug}/{project}',
  summary: 'Add a template key',
  description:
    'Declares a key. Templates are not enforced when secrets are written; environments are validated on request. A ' +
    'pattern is a regular expression in RE2 syntax, which runs in linear time, and must match the whole value.',
  access: { kind: 'member', roles: managers, tokens: 'full', narrowestToken: 'project' },
  body: z.strictObject({
    key: SecretKey.meta({ description: 'The secret key.', example: 'DATABASE_HOST' }),
    description: text(0, 1000)
      .optional()
      .meta({ description: 'A description of the key.', example: 'Host of the main database.' }),
    required: z.boolean().default(true).describe('Whether every environment must have the key.'),
    pattern: text(1, 1000).optional().meta({ description: 'RE2 pattern for the whole value.', example: '[a-z0-9.-]+' }),
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
  uses: { table: { GetItem: ['ORG'], Query: ['ORG'], ConditionCheckItem: ['ORG'], PutItem: ['AUDIT', 'ORG'] } },
});

export const updateTemplateKey = contract({
  operationId: 'update-template-key',
  route: 'PATCH /v1/templates/{orgSlug}/{project}/{key}',
  summary: 'Change a template key',
  description: 'A `null` removes the description or the pattern. The same rules apply as for a new key.',
  access: { kind: 'member', roles: managers, tokens: 'full', narrowestToken: 'project' },
  notFound: { key: 'template_key_not_found' },
  body: changes({
    description: text(0, 1000)
      .nullable()
      .optional()
      .meta({ description: 'A description of the key; null for none.', example: 'Host of the main database.' }),
    required: z.boolean().optional().describe('Whether every environment must have the key.'),
    pattern: text(1, 1000).nullable().optional().meta({
      description: 'RE2 pattern for the whole value; null for none.',
      example: '[a-z0-9.-]+',
    }),
  }),
  bodyExample: { required: false, pattern: null },
  responses: ok({
    description: 'The template key.',
    body: z.object({ templateKey: TemplateKey }),
    example: { templateKey: { description: templateKeyExample.description } },
  }),
  uses: { table: { ConditionCheckItem: ['ORG'], PutItem: ['AUDIT'], UpdateItem: ['ORG'] } },
});

export const removeTemplateKey = contract({
  operationId: 'remove-template-key',
  route: 'DELETE /v1/templates/{orgSlug}/{project}/{key}',
  summary: 'Remove a template key',
  description: 'Removes the key from the template. Secrets with this key are not affected.',
  access: { kind: 'member', roles: managers, tokens: 'full', narrowestToken: 'project' },
  notFound: { key: 'template_key_not_found' },
  responses: succeeds('The template key was removed.'),
  uses: {
    table: { GetItem: ['ORG'], Query: ['ORG'], ConditionCheckItem: ['ORG'], PutItem: ['AUDIT'], DeleteItem: ['ORG'] },
  },
});

const keyNames = (description: string, example: string[]) => z.array(z.string()).meta({ description, example });

export const validateEnvironment = contract({
  operationId: 'validate-environment',
  route: 'GET /v1/templates/{orgSlug}/{project}/validate/{env}',
  summary: 'Validate an environment against the template',
  description:
    'Reports required keys that are missing and keys whose values don’t match their pattern, but never a value. If ' +
    'values were decrypted for that, an audit entry is written. A value that takes too long to match is invalid.',
  access: {
    kind: 'member',
    roles,
    tokens: 'read',
    narrowestToken: 'environment',
    deployers: true,
    granted: true,
  },
  responses: ok({
    description: 'The result of the validation.',
    body: z.object({
      valid: z.boolean().describe('Whether all required keys exist and all values are valid.'),
      missing: keyNames('Required keys that the environment doesn’t have.', ['DATABASE_USER']),
      present: keyNames('Declared keys that the environment has, required and valid or not.', ['DATABASE_HOST']),
      undeclared: z
        .array(z.string())
        .nullable()
        .meta({ description: 'Keys not in the template; null without read access.', example: ['LEGACY_FLAG'] }),
      invalid: z
        .array(
          z.object({
            key: z.string().meta({ description: 'The declared key.', example: 'DATABASE_HOST' }),
            reason: z.string().meta({ description: 'What is wrong.', example: 'does not match the pattern' }),
          }),
        )
        .describe('Declared keys whose values don’t match their pattern.'),
    }),
  }),
  uses: {
    table: { GetItem: ['ENV', 'ORG'], BatchGetItem: ['ENV'], Query: ['ENV', 'ORG'], PutItem: ['AUDIT'] },
    key: { project: ['Decrypt'] },
  },
});
