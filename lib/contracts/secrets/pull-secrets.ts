import * as z from 'zod';
import { contract } from '../contract.ts';
import { uniqueList } from '../fields/bodies.ts';
import { offsetQuery, Pagination } from '../fields/query.ts';
import { SecretKey } from '../fields/text.ts';
import { entityTag, IfNoneMatchHeader, listQuery, notModified } from './read.ts';
import { Revision, readsSecrets, SecretSummary } from './secret.ts';
import { ServedFormat } from './served-formats.ts';

const { key, ...facts } = SecretSummary.shape;

export const SecretEntry = z
  .object({
    key,
    // Values were validated when they were set. Validating up to 4 MiB of them again would slow down a pull.
    value: z.string().meta({ description: 'The value, exactly as it was set.', example: 'db.internal.example' }),
    ...facts,
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
    // Without its default, so that an offset with `format` is noticed.
    offset: offsetQuery.unwrap().optional(),
    keys: keysQuery(
      `Only these keys, separated by commas, at most ${maxNamedKeys}. All of them must exist. Can’t be combined ` +
        'with `search` or `limit`.',
      'DATABASE_HOST,LOG_LEVEL',
    ),
    format: ServedFormat.optional(),
    allow: keysQuery(
      `Include these keys, separated by commas, at most ${maxNamedKeys}, even though such a name can control which code ` +
        'runs or whom it trusts. Only with `format`.',
      'NODE_OPTIONS',
    ),
  })
  .refine(({ keys, search, limit }) => keys === undefined || (search === undefined && limit === undefined), {
    path: ['keys'],
    message: 'must not be combined with search or limit',
  })
  .refine(({ allow, format }) => allow === undefined || format !== undefined, {
    path: ['allow'],
    message: 'must be combined with format',
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
    'ones. Every pull is audited. With `keys`, only these secrets are read and returned. With `format`, the same ' +
    'pull returns only the values, as text for shells, build tools and operators. Formats that become environment ' +
    'variables reject keys such as `LD_PRELOAD`, which can control which code runs or whom it trusts, unless `allow` ' +
    'names them.',
  access: readsSecrets,
  query: PullQuery,
  headers: IfNoneMatchHeader,
  responses: {
    200: {
      description: 'The secrets.',
      body: z.object({
        secrets: z.array(SecretEntry).meta({ description: 'The secrets, in key order.' }),
        revision: Revision,
        pagination: Pagination.optional().meta({ description: 'Only if `limit` was given.' }),
      }),
      texts: ['application/json', 'application/yaml', 'text/plain; charset=utf-8'],
      headers: entityTag,
    },
    304: notModified,
  },
  errors: ['revision_not_found', 'secret_not_found', 'version_destroyed', 'payload_too_large', 'not_representable'],
  uses: { table: ['GetItem', 'Query'], reads: ['ENV'], writes: ['AUDIT'], key: { project: ['Decrypt'] } },
  sizing: { memoryMb: 1024, reason: 'up to 4 MiB of values are decrypted and encoded in one response' },
});
