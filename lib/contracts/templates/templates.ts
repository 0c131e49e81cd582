import * as z from 'zod';
import { contract, created, ok, succeeds } from '../contract.ts';
import { maximumAgeDays } from '../fields/age-days.ts';
import { changes, uniqueList } from '../fields/bodies.ts';
import { maximumTags, Tag } from '../fields/due.ts';
import { managers, roles } from '../fields/role.ts';
import { EnvironmentId, hasCredentials, line, SecretKey, Timestamp, text, UserId, ZonedTime } from '../fields/text.ts';

const userId = UserId.meta({ description: 'The member who renews its values.' });

/** An address that people open, so it must not be a script. */
export const RenewUrl = line(1, 2048)
  .refine(value => /^https:\/\//i.test(value) && URL.canParse(value), { message: 'must be an absolute https URL' })
  .refine(value => !hasCredentials(value), { message: 'must not contain a user name or password' })
  .meta({ format: 'uri', description: 'Where a new value is made.', example: 'https://dashboard.example.com/keys' });

export const MaxAgeDays = z
  .int()
  .min(1)
  .max(maximumAgeDays)
  .meta({ description: 'For how many days a value is used before it is due.', example: 90 });

const maximumExpiries = 100;

const ExpiresAt = z
  .record(EnvironmentId, ZonedTime)
  .refine(times => Object.keys(times).length <= maximumExpiries, {
    message: `must have at most ${maximumExpiries} environments`,
  })
  .meta({
    description: 'When the present values expire at their issuer, by environment identifier.',
    example: { 'c41f8e27-06d3-4b9a-a5e2-8d7b3f1c6094': '2027-01-31T09:26:53.589Z' },
    documentedAs: () => z.record(z.string(), z.iso.datetime()),
  });

const Note = text(0, 4000).meta({
  description: 'What people should know about the key, as Markdown that is shown as plain text. Never a value.',
  example: 'Ask the payments team before you renew it.',
});

const Tags = uniqueList(Tag, 0, maximumTags).meta({ description: 'Tags of the key.', example: ['payments'] });

/** How the key is described in all environments. */
const catalogue = {
  owner: userId.nullable().optional().describe('The member who renews its values; null for nobody.'),
  tags: Tags.optional(),
  renewUrl: RenewUrl.optional(),
  maxAgeDays: MaxAgeDays.optional(),
  expiresAt: ExpiresAt.optional(),
  note: Note.optional(),
};

export const TemplateKey = z
  .object({
    key: SecretKey.meta({ description: 'The secret key that the template declares.', example: 'DATABASE_HOST' }),
    description: z.string().optional().meta({ description: 'Its description.', example: 'Host of the main database.' }),
    required: z.boolean().describe('Whether every environment must have the key.'),
    pattern: z.string().optional().meta({ description: 'RE2 pattern for the whole value.', example: '[a-z0-9.-]+' }),
    owner: userId.optional(),
    tags: z
      .array(z.string())
      .optional()
      .meta({ description: 'Tags of the key.', example: ['payments'] }),
    renewUrl: z
      .string()
      .optional()
      .meta({ description: 'Where a new value is made.', example: 'https://dashboard.example.com/keys' }),
    maxAgeDays: z.int().optional().meta({ description: 'After how many days a value is due.', example: 90 }),
    expiresAt: z
      .record(z.string(), Timestamp)
      .optional()
      .meta({
        description: 'When the present values expire, by environment identifier.',
        example: { 'c41f8e27-06d3-4b9a-a5e2-8d7b3f1c6094': '2027-01-31T09:26:53.589Z' },
      }),
    note: z
      .string()
      .optional()
      .meta({ description: 'A note in Markdown.', example: 'Ask the payments team before you renew it.' }),
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
  access: { kind: 'member', roles, tokens: 'read', narrowestToken: 'environment', granted: true, names: 'always' },
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
    'pattern is a regular expression in RE2 syntax, which runs in linear time, and must match the whole value. The ' +
    'other fields describe the key for all environments: who owns it, and when its values are due.',
  access: { kind: 'member', roles: managers, tokens: 'full', narrowestToken: 'project' },
  body: z.strictObject({
    key: SecretKey.meta({ description: 'The secret key.', example: 'DATABASE_HOST' }),
    description: text(0, 1000)
      .optional()
      .meta({ description: 'A description of the key.', example: 'Host of the main database.' }),
    required: z.boolean().default(true).describe('Whether every environment must have the key.'),
    pattern: text(1, 1000).optional().meta({ description: 'RE2 pattern for the whole value.', example: '[a-z0-9.-]+' }),
    ...catalogue,
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
  errors: ['template_key_exists', 'environment_not_found'],
  uses: { table: { GetItem: ['ORG'], Query: ['ORG'], ConditionCheckItem: ['ORG'], PutItem: ['AUDIT', 'ORG'] } },
});

export const updateTemplateKey = contract({
  operationId: 'update-template-key',
  route: 'PATCH /v1/templates/{orgSlug}/{project}/{key}',
  summary: 'Change a template key',
  description: 'A `null` removes a field. The same rules apply as for a new key.',
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
    owner: catalogue.owner,
    tags: Tags.nullable().optional().describe('All tags of the key; null for none.'),
    renewUrl: RenewUrl.nullable().optional().describe('Where a new value is made; null for nowhere.'),
    maxAgeDays: MaxAgeDays.nullable().optional().describe('For how many days a value is used; null for no limit.'),
    expiresAt: ExpiresAt.nullable()
      .optional()
      .describe('When the present values expire, by environment identifier; null for never. Replaces all times.'),
    note: Note.nullable().optional().describe('A note in Markdown, never a value; null for none.'),
  }),
  bodyExample: { required: false, pattern: null },
  responses: ok({
    description: 'The template key.',
    body: z.object({ templateKey: TemplateKey }),
    example: { templateKey: { description: templateKeyExample.description } },
  }),
  errors: ['environment_not_found'],
  uses: {
    table: { GetItem: ['ORG'], Query: ['ORG'], ConditionCheckItem: ['ORG'], PutItem: ['AUDIT'], UpdateItem: ['ORG'] },
  },
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
    'values were decrypted for that, an audit entry is written. A value that takes too long to match is invalid. Without ' +
    'read access, and for a token for names only, values that name other keys are not compared, and the reason is ' +
    'always that the value does not match.',
  access: {
    kind: 'member',
    roles,
    tokens: 'read',
    narrowestToken: 'environment',
    deployers: true,
    granted: true,
    names: 'always',
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
  errors: ['payload_too_large'],
  uses: {
    table: { GetItem: ['ENV', 'ORG'], BatchGetItem: ['ENV'], Query: ['ENV', 'ORG'], PutItem: ['AUDIT'] },
    key: { project: ['Decrypt'] },
  },
});
