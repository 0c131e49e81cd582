import * as z from 'zod';
import { contract, type TextType } from '../contract.ts';
import { uniqueList } from '../fields/bodies.ts';
import { describedFields } from '../fields/due.ts';
import { formats } from '../fields/formats/formats.ts';
import { IfNoneMatch } from '../fields/preconditions.ts';
import { flagQuery, offsetQuery, optionalPage, Pagination, prefixQuery, revisionQuery } from '../fields/query.ts';
import { managers, roles, writers } from '../fields/role.ts';
import { Expanded, SecretKey, Timestamp, UserReference } from '../fields/text.ts';
import { excludedByLayers, layeredFields, layersQuery } from './layers.ts';

/*
 * The access rules of most operations on one environment's secrets. They admit deployers; operations that are harder to
 * undo, or that need a second environment, have a rule of their own.
 */

const inEnvironment = { kind: 'member', narrowestToken: 'environment', deployers: true, granted: true } as const;

export const readsSecrets = { ...inEnvironment, roles, tokens: 'read', environmentRule: 'read' } as const;

/** Without values, so that tokens for names only may do it. */
export const readsNames = { ...readsSecrets, names: 'always' } as const;

/** Whether it needs a value depends on the request. */
export const mayNeedValues = { names: 'by-content' } as const;

export const writesSecrets = { ...inEnvironment, roles: writers, tokens: 'write', environmentRule: 'write' } as const;

/** Without deployers. */
export const managesSecrets = {
  kind: 'member',
  roles: managers,
  tokens: 'write',
  narrowestToken: 'environment',
  environmentRule: 'write',
} as const;

export const Revision = z.int().meta({
  description: 'The environment’s revision. It increases by one with each accepted change to its secrets.',
  example: 17,
});

export const keyNames = (description: string) => z.array(z.string()).meta({ description, example: ['DATABASE_HOST'] });

/** What the API says about a secret without its value. */
export const SecretSummary = z
  .object({
    key: SecretKey.meta({ description: 'The secret’s key.', example: 'DATABASE_HOST' }),
    version: z.int().meta({ description: 'Counts this key’s changes, starting at 1.', example: 3 }),
    createdAt: Timestamp.describe('When the key was first set, or set again after it was deleted.'),
    updatedAt: Timestamp.describe('When this version was written.'),
    updatedBy: UserReference.describe('Who wrote this version.'),
  })
  .meta({ id: 'SecretSummary', description: 'A secret without its value.' });
export type SecretSummary = z.infer<typeof SecretSummary>;

export const IfNoneMatchHeader = z.object({
  'if-none-match': IfNoneMatch.optional().meta({
    description: 'An earlier response’s `ETag`. If the environment is still at that revision, the response is `304`.',
    example: '"17"',
  }),
});

export const entityTag = { ETag: 'The environment’s revision in double quotes, for `If-None-Match` and `If-Match`.' };

export const notModified = {
  description: 'The environment is still at the revision of `If-None-Match`. No value was read or decrypted.',
  body: null,
  headers: entityTag,
} as const;

export const listQuery = {
  ...optionalPage,
  search: prefixQuery('Only keys with this prefix. Case-sensitive.').optional().meta({ example: 'DATABASE_' }),
  revision: revisionQuery('Read the environment as of this revision. Defaults to the current one.').optional(),
  describe: flagQuery(
    'Add what the template says about each key: `description`, `tags`, `owner` and `dueAt`. `If-None-Match` then has no ' +
      'effect, because the template changes without a revision.',
  ).optional(),
};

/** Needs a second stream for its masks, which a response doesn't have. */
const needsTwoStreams = 'github';

const servedFormats = Object.keys(formats).filter(name => name !== needsTwoStreams);

/** The output formats of `holdfast pull` that the service renders too, by name. */
export const ServedFormat = z.enum(servedFormats).meta({
  description:
    'Return only the values, in this format: `json` is one flat object, and every other format is byte for byte what ' +
    '`holdfast pull --format` writes. Can’t be combined with `limit` or `offset`.',
  example: 'env',
});
export type ServedFormat = z.infer<typeof ServedFormat>;

export function contentTypeOf(format: ServedFormat): TextType {
  if (format === 'json') return 'application/json';
  return format === 'yaml' || format === 'k8s' ? 'application/yaml' : 'text/plain; charset=utf-8';
}

const { key, ...facts } = SecretSummary.shape;

export const SecretEntry = z
  .object({
    key,
    ...layeredFields,
    // Values were validated when they were set. Validating up to 4 MiB of them again would slow down a pull.
    value: z.string().meta({
      description: 'The value, exactly as it was set, or expanded if it names other keys.',
      example: 'db.internal.example',
    }),
    expand: Expanded,
    ...facts,
    ...describedFields,
  })
  .meta({ id: 'SecretEntry', description: 'A secret with its value.' });
export type SecretEntry = z.infer<typeof SecretEntry>;

const maxNamedKeys = 100;

const keysQuery = (description: string, example: string) =>
  z
    .string()
    .max(maxNamedKeys * 257)
    .transform((keys): unknown[] => (keys === '' ? [] : keys.split(',')))
    .pipe(uniqueList(SecretKey, 1, maxNamedKeys))
    .optional()
    .meta({ description, documentedAs: () => z.string(), example });

const PullQuery = z
  .strictObject({
    ...listQuery,
    layers: layersQuery,
    // Without its default, so that an offset with `format` is noticed.
    offset: offsetQuery.unwrap().optional(),
    keys: keysQuery(
      `Only these keys, separated by commas, at most ${maxNamedKeys}. All of them must exist. Can’t be combined ` +
        'with `search` or `limit`.',
      'DATABASE_HOST,LOG_LEVEL',
    ),
    raw: flagQuery('Whether to return values that name other keys as they were set.').optional(),
    format: ServedFormat.optional(),
    allow: keysQuery(
      `Include these keys, separated by commas, at most ${maxNamedKeys}, even though such a name can control which code ` +
        'runs or whom it trusts. Only with `format`.',
      'NODE_OPTIONS',
    ),
  })
  .superRefine((query, context) => {
    for (const name of excludedByLayers(query)) {
      context.addIssue({ code: 'custom', path: [name], message: 'must not be combined with layers' });
    }
  })
  .refine(({ keys, search, limit }) => keys === undefined || (search === undefined && limit === undefined), {
    path: ['keys'],
    message: 'must not be combined with search or limit',
  })
  .refine(({ allow, format }) => allow === undefined || format !== undefined, {
    path: ['allow'],
    message: 'must be combined with format',
  })
  .refine(({ describe, format }) => describe !== true || format === undefined, {
    path: ['describe'],
    message: 'must not be combined with format',
  })
  .refine(({ format, limit, offset }) => format === undefined || (limit === undefined && offset === undefined), {
    path: ['format'],
    message: 'must not be combined with limit or offset',
  });

export const pullSecrets = contract({
  operationId: 'pull-secrets',
  route: 'GET /v1/secrets/{orgSlug}/{project}/{env}',
  summary: 'Pull all secrets, decrypted',
  description:
    'Returns the secrets with their values, in key order, as one snapshot of the environment at `revision`: a pull ' +
    'never returns half a change. With `If-None-Match`, an unchanged environment returns `304`. Owners and admins ' +
    'can read every environment, developers `development` and `staging` environments, viewers only `development` ' +
    'ones. Every pull is audited. With `keys`, only these secrets are returned. In a value set with `expand`, ' +
    'the keys that it names are replaced with their values, unless `raw=true`. With `format`, the same ' +
    'pull returns only the values, as text for shells, build tools and operators. Formats that become environment ' +
    'variables reject keys such as `LD_PRELOAD`, which can control which code runs or whom it trusts, unless `allow` ' +
    'names them. With `layers`, the environment lies over others: the response has the secrets of all of them, each with ' +
    'the environment that it comes `from`.',
  access: readsSecrets,
  query: PullQuery,
  headers: IfNoneMatchHeader,
  responses: {
    200: {
      description: 'The secrets.',
      body: z.object({
        secrets: z.array(SecretEntry).describe('The secrets, in key order.'),
        revision: Revision,
        pagination: Pagination.optional().describe('Only if `limit` was given.'),
      }),
      texts: ['application/json', 'application/yaml', 'text/plain; charset=utf-8'],
      headers: entityTag,
    },
    304: notModified,
  },
  errors: ['revision_not_found', 'secret_not_found', 'version_destroyed', 'payload_too_large', 'not_representable'],
  isWaitedFor: true,
  uses: {
    table: { GetItem: ['ENV', 'ORG'], BatchGetItem: ['ENV'], Query: ['ENV', 'ORG'], PutItem: ['AUDIT'] },
    key: { project: ['Decrypt'] },
  },
  sizing: { memoryMb: 1024, reason: 'up to 4 MiB of values are decrypted and encoded in one response' },
});

const ListedKey = SecretSummary.extend({ expand: Expanded, ...describedFields }).meta({
  id: 'ListedKey',
  description: 'A secret without its value, in a list.',
});
export type ListedKey = z.infer<typeof ListedKey>;

export const listKeys = contract({
  operationId: 'list-keys',
  route: 'GET /v1/secrets/{orgSlug}/{project}/{env}/keys',
  summary: 'List keys without values',
  description: 'Like a pull, but without values: nothing is decrypted or audited. Requires read access.',
  access: readsNames,
  query: z.strictObject(listQuery),
  headers: IfNoneMatchHeader,
  responses: {
    200: {
      description: 'The keys.',
      body: z.object({
        keys: z.array(ListedKey).describe('The secrets without values, in key order.'),
        revision: Revision,
        pagination: Pagination.optional().describe('Only if `limit` was given.'),
      }),
      example: { pagination: { limit: 50, offset: 0, total: 1 } },
      headers: entityTag,
    },
    304: notModified,
  },
  errors: ['revision_not_found', 'payload_too_large'],
  isWaitedFor: true,
  uses: { table: { GetItem: ['ENV', 'ORG'], BatchGetItem: ['ENV'], Query: ['ENV', 'ORG'] } },
});
