import * as z from 'zod';
import { contract } from './contract.ts';
import { changes } from './fields/changes.ts';
import { roles } from './fields/role.ts';
import { Success } from './fields/success.ts';
import { SecretKey, Timestamp, text } from './fields/text.ts';

const area = 'templates';

export const TemplateKey = z
  .object({
    key: SecretKey.meta({ description: 'The secret key that the template declares.', example: 'DATABASE_HOST' }),
    description: z.string().optional().meta({ description: 'What it is for.', example: 'Host of the main database.' }),
    required: z.boolean().meta({ description: 'Whether every environment must have it.' }),
    pattern: z
      .string()
      .optional()
      .meta({ description: 'A regular expression (RE2) that the whole value must match.', example: '[a-z0-9.-]+' }),
    createdAt: Timestamp.meta({ description: 'When it was added.' }),
  })
  .meta({ id: 'TemplateKey', description: 'A key that the environments of the project should have.' });
export type TemplateKey = z.infer<typeof TemplateKey>;

const templateKeyExample = {
  key: 'DATABASE_HOST',
  description: 'Host of the main database.',
  required: true,
  pattern: '[a-z0-9.-]+',
  createdAt: '2026-01-31T09:26:53.589Z',
};

const keyNames = (description: string, example: string[]) => z.array(z.string()).meta({ description, example });

export const listTemplateKeys = /* @__PURE__ */ contract({
  operationId: 'list-template-keys',
  area,
  method: 'GET',
  path: '/v1/templates/{orgSlug}/{project}',
  summary: 'List template keys',
  description: 'Lists the keys that the environments of the project should have. For every member.',
  access: { kind: 'member', roles, tokens: 'read', narrowestToken: 'environment' },
  responses: {
    200: {
      description: 'The template.',
      body: z.object({ keys: z.array(TemplateKey).meta({ description: 'The keys of the template, in key order.' }) }),
      example: { keys: [templateKeyExample] },
    },
  },
  errors: [],
  uses: { table: ['BatchGetItem', 'GetItem', 'Query', 'UpdateItem'] },
});

export const addTemplateKey = /* @__PURE__ */ contract({
  operationId: 'add-template-key',
  area,
  method: 'POST',
  path: '/v1/templates/{orgSlug}/{project}',
  summary: 'Add a template key',
  description:
    'Declares a key. Nothing is enforced when secrets are written; environments are validated on request. A pattern is a ' +
    'regular expression in RE2 syntax, which runs in linear time, and must match the whole value. For owners and admins.',
  access: { kind: 'member', roles: ['owner', 'admin'], tokens: 'full', narrowestToken: 'project' },
  body: z.strictObject({
    key: SecretKey.meta({ description: 'The secret key.', example: 'DATABASE_HOST' }),
    description: text(0, 1000)
      .optional()
      .meta({ description: 'What it is for.', example: 'Host of the main database.' }),
    required: z.boolean().default(true).meta({ description: 'Whether every environment must have it.' }),
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
  responses: {
    201: {
      description: 'The template key.',
      body: z.object({ templateKey: TemplateKey }),
      example: { templateKey: templateKeyExample },
    },
  },
  errors: ['template_key_exists'],
  uses: {
    table: ['BatchGetItem', 'GetItem', 'Query', 'PutItem', 'UpdateItem', 'ConditionCheckItem'],
    writes: ['ORG', 'AUDIT'],
  },
});

export const updateTemplateKey = /* @__PURE__ */ contract({
  operationId: 'update-template-key',
  area,
  method: 'PATCH',
  path: '/v1/templates/{orgSlug}/{project}/{key}',
  summary: 'Change a template key',
  description:
    'Changes what the template says of a key. A `null` removes the description or the pattern. The same rules apply as ' +
    'for a new key. For owners and admins.',
  access: { kind: 'member', roles: ['owner', 'admin'], tokens: 'full', narrowestToken: 'project' },
  notFound: { key: 'template_key_not_found' },
  body: changes({
    description: text(0, 1000)
      .nullable()
      .optional()
      .meta({ description: 'What it is for; null for nothing.', example: 'Host of the main database.' }),
    required: z.boolean().optional().meta({ description: 'Whether every environment must have it.' }),
    pattern: text(1, 1000).nullable().optional().meta({
      description: 'A regular expression (RE2) that the whole value must match; null for none.',
      example: '[a-z0-9.-]+',
    }),
  }),
  bodyExample: { required: false, pattern: null },
  responses: {
    200: {
      description: 'The template key.',
      body: z.object({ templateKey: TemplateKey }),
      example: {
        templateKey: {
          key: templateKeyExample.key,
          description: templateKeyExample.description,
          required: false,
          createdAt: templateKeyExample.createdAt,
        },
      },
    },
  },
  errors: [],
  uses: {
    table: ['BatchGetItem', 'GetItem', 'PutItem', 'UpdateItem', 'ConditionCheckItem'],
    writes: ['ORG', 'AUDIT'],
  },
});

export const removeTemplateKey = /* @__PURE__ */ contract({
  operationId: 'remove-template-key',
  area,
  method: 'DELETE',
  path: '/v1/templates/{orgSlug}/{project}/{key}',
  summary: 'Remove a template key',
  description: 'Removes the key from the template. Secrets with this key stay as they are. For owners and admins.',
  access: { kind: 'member', roles: ['owner', 'admin'], tokens: 'full', narrowestToken: 'project' },
  notFound: { key: 'template_key_not_found' },
  responses: { 200: { description: 'The template key is removed.', body: Success, example: { success: true } } },
  errors: [],
  uses: {
    table: ['BatchGetItem', 'GetItem', 'Query', 'PutItem', 'UpdateItem', 'DeleteItem', 'ConditionCheckItem'],
    writes: ['ORG', 'AUDIT'],
  },
});

export const validateEnvironment = /* @__PURE__ */ contract({
  operationId: 'validate-environment',
  area,
  method: 'GET',
  path: '/v1/templates/{orgSlug}/{project}/validate/{env}',
  summary: 'Validate an environment against the template',
  description:
    'Finds keys that the environment lacks and values that do not match their pattern. It never shows a value. For every ' +
    'member; `undeclared` is null for those who can’t read the environment. If patterns ' +
    'opened values, the audit log has an entry. A value that takes too long to match is invalid, and the reason says so.',
  access: { kind: 'member', roles, tokens: 'read', narrowestToken: 'environment' },
  responses: {
    200: {
      description: 'The result of the comparison.',
      body: z.object({
        valid: z.boolean().meta({ description: 'Whether no required key is missing and no value is invalid.' }),
        missing: keyNames('Required keys that the environment lacks.', ['DATABASE_USER']),
        present: keyNames('Declared keys that the environment has, whether or not they are required or valid.', [
          'DATABASE_HOST',
        ]),
        undeclared: z
          .array(z.string())
          .nullable()
          .meta({
            description: 'Keys that the template does not declare; null for callers who can’t read the environment.',
            example: ['LEGACY_FLAG'],
          }),
        invalid: z
          .array(
            z.object({
              key: z.string().meta({ description: 'The declared key.', example: 'DATABASE_HOST' }),
              reason: z.string().meta({ description: 'What is wrong.', example: 'does not match the pattern' }),
            }),
          )
          .meta({ description: 'Declared keys whose values do not fit the template.' }),
      }),
      example: {
        valid: false,
        missing: ['DATABASE_USER'],
        present: ['DATABASE_HOST'],
        undeclared: ['LEGACY_FLAG'],
        invalid: [{ key: 'DATABASE_HOST', reason: 'does not match the pattern' }],
      },
    },
  },
  errors: [],
  uses: {
    table: ['BatchGetItem', 'GetItem', 'Query', 'PutItem', 'UpdateItem'],
    reads: ['ENV'],
    writes: ['AUDIT'],
    key: { project: ['Decrypt'] },
  },
});
