import * as z from 'zod';
import { contract } from './contract.ts';
import { AuditAction } from './fields/audit-action.ts';
import { ChangesBody, ExpectedVersion } from './fields/changes-body.ts';
import { DestroyBody } from './fields/destroy-body.ts';
import { ImportBody } from './fields/import-body.ts';
import { uniqueList } from './fields/list.ts';
import { optionalPage, Pagination } from './fields/pagination.ts';
import { IfMatch, IfNoneMatch } from './fields/preconditions.ts';
import { flagQuery, integerQuery, prefixQuery, revisionQuery } from './fields/query.ts';
import { roles } from './fields/role.ts';
import { maxKeysPerChange } from './fields/secret-rules.ts';
import { SecretValue } from './fields/secret-value.ts';
import { Success } from './fields/success.ts';
import { Message, SecretKey, Slug, Timestamp } from './fields/text.ts';
import { UserReference } from './fields/user-reference.ts';

const area = 'secrets';

const writers = ['owner', 'admin', 'developer'] as const;

/** What the API says about a secret without its value. */
export const SecretSummary = z
  .object({
    key: SecretKey.meta({ description: 'The secret’s key.', example: 'DATABASE_HOST' }),
    version: z.int().meta({ description: 'Counts the changes of this key, starting at 1.', example: 3 }),
    createdAt: Timestamp.meta({ description: 'When the key was first set, or set again after a deletion.' }),
    updatedAt: Timestamp.meta({ description: 'When this version was written.' }),
    updatedBy: UserReference.meta({ description: 'Who wrote this version.' }),
  })
  .meta({ id: 'SecretSummary', description: 'A secret without its value.' });
export type SecretSummary = z.infer<typeof SecretSummary>;

export const SecretEntry = z
  .object({
    key: SecretSummary.shape.key,
    // Values were checked when they were set. Checking up to 4 MiB of them again would slow down a pull.
    value: z.string().meta({ description: 'The value, exactly as it was set.', example: 'db.internal.example' }),
    version: SecretSummary.shape.version,
    createdAt: SecretSummary.shape.createdAt,
    updatedAt: SecretSummary.shape.updatedAt,
    updatedBy: SecretSummary.shape.updatedBy,
  })
  .meta({ id: 'SecretEntry', description: 'A secret with its value.' });
export type SecretEntry = z.infer<typeof SecretEntry>;

const Revision = z.int().meta({
  description: 'The revision of the environment. It goes up by one with each accepted change of its secrets.',
  example: 17,
});

export const SecretVersion = z
  .object({
    version: SecretSummary.shape.version,
    revision: Revision.meta({ description: 'The revision of the environment that this version belongs to.' }),
    createdAt: Timestamp.meta({ description: 'When it was written.' }),
    createdBy: UserReference.meta({ description: 'Who wrote it.' }),
    deleted: z.boolean().meta({ description: 'Whether this entry records a deletion.' }),
    destroyed: z.boolean().meta({ description: 'Whether its value was destroyed.' }),
    value: z.string().optional().meta({
      description: 'The value; only with `values=true`, and never for a deletion or a destroyed value.',
      example: 'db.internal.example',
    }),
  })
  .meta({ id: 'SecretVersion', description: 'An entry in the history of a key.' });
export type SecretVersion = z.infer<typeof SecretVersion>;

const createdAt = '2026-01-31T09:26:53.589Z';
const author = { id: '5f0c9a52-7b1e-4c43-9a55-0d6c1e8f2b11', email: 'ada@example.com' };
const summaryExample = { key: 'DATABASE_HOST', version: 3, createdAt, updatedAt: createdAt, updatedBy: author };

const pathOfEnvironment = '/v1/secrets/{orgSlug}/{project}/{env}';

const IfNoneMatchHeader = z.object({
  'if-none-match': IfNoneMatch.optional().meta({
    description: 'The `ETag` of an earlier answer. If the environment is still at that revision, the answer is `304`.',
    example: '"17"',
  }),
});
const IfMatchHeader = z.object({
  'if-match': IfMatch.optional().meta({
    description:
      'Makes the change only if the environment is at this revision; otherwise the answer is `412 revision_mismatch`. ' +
      '`*` matches any revision.',
    example: '"17"',
  }),
});

const entityTag = { ETag: 'The environment’s revision in double quotes, for `If-None-Match` and `If-Match`.' };
const notModified = {
  description: 'The environment is still at the revision of `If-None-Match`. No value was read or decrypted.',
  body: null,
  headers: entityTag,
} as const;

const listQuery = {
  ...optionalPage,
  search: prefixQuery('Only keys that start with this prefix. Case-sensitive.')
    .optional()
    .meta({ example: 'DATABASE_' }),
  revision: revisionQuery('Read the environment as it was at this revision. Without it, as it is now.').optional(),
};

const KeyList = uniqueList(SecretKey, 1, maxKeysPerChange);
const writeQuery = {
  dryRun: flagQuery(
    'Whether to answer only what the change would do. Everything is checked and refused as for the change itself, and ' +
      'nothing is changed, recorded or sent.',
  ).default(false),
};
const keyNames = (description: string) => z.array(z.string()).meta({ description, example: ['DATABASE_HOST'] });

export const ChangePlan = z
  .object({
    created: keyNames('Keys that would be created.'),
    updated: keyNames('Keys that would get a new version.'),
    unchanged: keyNames('Keys that have the value already. Empty for a caller who can’t read the environment.'),
    deleted: keyNames('Keys that would be deleted.'),
    skipped: keyNames('Keys that would be left as they are for another reason.'),
  })
  .meta({ id: 'ChangePlan', description: 'What a change would do. Each list is in key order.' });
export type ChangePlan = z.infer<typeof ChangePlan>;

export const DryRun = z
  .object({
    dryRun: z.literal(true).meta({ description: 'Nothing was changed.' }),
    plan: ChangePlan,
    revision: Revision.meta({ description: 'The revision that the plan is for.' }),
  })
  .meta({ id: 'DryRun', description: 'The answer to `dryRun=true`.' });
export type DryRun = z.infer<typeof DryRun>;

/** What the write answers, or the plan of a dry run. */
function orDryRun<Body extends z.ZodType>(body: Body) {
  return z.union([body, DryRun]);
}

const maxNamedKeys = 100;
const NamedKeys = z
  .string()
  .max(maxNamedKeys * 257)
  .transform((keys): unknown[] => (keys === '' ? [] : keys.split(',')))
  .pipe(uniqueList(SecretKey, 1, maxNamedKeys))
  .meta({
    description: `Only these keys, separated by commas, at most ${maxNamedKeys}. Each must be there. Not together with \`search\` or \`limit\`.`,
    documentedAs: () => z.string(),
    example: 'DATABASE_HOST,LOG_LEVEL',
  });

const PullQuery = z
  .strictObject({ ...listQuery, keys: NamedKeys.optional() })
  .refine(({ keys, search, limit }) => keys === undefined || (search === undefined && limit === undefined), {
    path: ['keys'],
    message: 'must not be given together with search or limit',
  });

export const pullSecrets = /* @__PURE__ */ contract({
  operationId: 'pull-secrets',
  area,
  method: 'GET',
  path: pathOfEnvironment,
  summary: 'Pull all secrets, decrypted',
  description:
    'Returns the secrets with their values, in key order, as one snapshot of the environment at `revision`: a pull never ' +
    'shows half of a change. With `If-None-Match`, an unchanged environment answers `304`. Owners and admins can read ' +
    'every environment, developers those of type development and staging, viewers those of type development. Every pull ' +
    'is audited. With `keys`, exactly these secrets are returned, at the cost of reading only them.',
  access: { kind: 'member', roles, tokens: 'read', narrowestToken: 'environment', environmentRule: 'read' },
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
      example: { secrets: [{ ...summaryExample, value: 'db.internal.example' }], revision: 17 },
      headers: entityTag,
    },
    304: notModified,
  },
  errors: ['revision_not_found', 'secret_not_found', 'version_destroyed', 'payload_too_large'],
  uses: {
    table: ['BatchGetItem', 'GetItem', 'Query', 'PutItem', 'UpdateItem'],
    reads: ['ENV'],
    writes: ['AUDIT'],
    key: { project: ['Decrypt'] },
  },
  sizing: { memoryMb: 1024, reason: 'up to 4 MiB of values are decrypted and encoded in one answer' },
});

const ComparedKey = z.object({ key: SecretSummary.shape.key });
const sideValue = (side: string) =>
  z
    .string()
    .optional()
    .meta({ description: `The value in \`${side}\`; only with \`values=true\`.`, example: 'db.internal.example' });
const OnlyFrom = ComparedKey.extend({ from: sideValue('from') });
const OnlyTo = ComparedKey.extend({ to: sideValue('to') });
const Different = ComparedKey.extend({ from: sideValue('from'), to: sideValue('to') });
const ComparedSide = z.object({
  slug: Slug.meta({ description: 'Slug of the environment.', example: 'dev' }),
  revision: Revision,
});

export const compareEnvironments = /* @__PURE__ */ contract({
  operationId: 'compare-environments',
  area,
  method: 'GET',
  path: `${pathOfEnvironment}/compare`,
  summary: 'Compare two environments',
  description:
    'Says which secrets only one of two environments of the project has, and which have different values or the same, each ' +
    'environment at one revision. `from` is the environment of the path. Values are included only with `values=true`. ' +
    'Requires the right to read both. Every comparison is audited, with an entry for each environment.',
  access: { kind: 'member', roles, tokens: 'read', narrowestToken: 'environment', environmentRule: 'read' },
  query: z.strictObject({
    with: Slug.meta({ description: 'Slug of the other environment.', example: 'staging' }),
    values: flagQuery('Whether to return the values.').default(false),
  }),
  responses: {
    200: {
      description: 'The comparison. Each list is in key order.',
      body: z.object({
        from: ComparedSide.meta({ description: 'The environment of the path.' }),
        to: ComparedSide.meta({ description: 'The environment that it was compared with.' }),
        onlyFrom: z.array(OnlyFrom).meta({ description: 'Secrets that only `from` has.' }),
        onlyTo: z.array(OnlyTo).meta({ description: 'Secrets that only `to` has.' }),
        different: z.array(Different).meta({ description: 'Secrets with different values.' }),
        same: keyNames('Keys with the same value in both.'),
      }),
      example: {
        from: { slug: 'dev', revision: 17 },
        to: { slug: 'staging', revision: 6 },
        onlyFrom: [{ key: 'LOG_LEVEL' }],
        onlyTo: [],
        different: [{ key: 'DATABASE_HOST' }],
        same: ['REGION'],
      },
    },
  },
  errors: ['payload_too_large'],
  uses: {
    table: ['BatchGetItem', 'GetItem', 'Query', 'PutItem', 'UpdateItem'],
    reads: ['ENV'],
    writes: ['AUDIT'],
    key: { project: ['Decrypt'] },
  },
  sizing: { memoryMb: 1024, reason: 'up to 8 MiB of values of two environments are decrypted' },
});

export const listKeys = /* @__PURE__ */ contract({
  operationId: 'list-keys',
  area,
  method: 'GET',
  path: `${pathOfEnvironment}/keys`,
  summary: 'List keys only, no values',
  description:
    'Like a pull, but without values: nothing is decrypted and no audit entry is written. Requires the right to read the ' +
    'environment.',
  access: { kind: 'member', roles, tokens: 'read', narrowestToken: 'environment', environmentRule: 'read' },
  query: z.strictObject(listQuery),
  headers: IfNoneMatchHeader,
  responses: {
    200: {
      description: 'The keys.',
      body: z.object({
        keys: z.array(SecretSummary).meta({ description: 'The secrets without values, in key order.' }),
        revision: Revision,
        pagination: Pagination.optional().meta({ description: 'Only if `limit` was given.' }),
      }),
      example: { keys: [summaryExample], revision: 17, pagination: { limit: 50, offset: 0, total: 1 } },
      headers: entityTag,
    },
    304: notModified,
  },
  errors: ['revision_not_found', 'payload_too_large'],
  uses: { table: ['BatchGetItem', 'GetItem', 'Query', 'UpdateItem'], reads: ['ENV'] },
});

const SetResult = z.object({
  secret: SecretSummary.meta({ description: 'The secret after the change, without its value.' }),
  changed: z
    .boolean()
    .meta({ description: 'False if the secret already had this value: then there is no new version and no event.' }),
  revision: Revision,
});

export const setSecret = /* @__PURE__ */ contract({
  operationId: 'set-secret',
  area,
  method: 'PUT',
  path: pathOfEnvironment,
  summary: 'Set one secret',
  description:
    'Creates the secret or writes its next version, and raises the revision of the environment by one. Setting the same ' +
    'value again changes nothing, so a retry is harmless. (For a caller who can’t read the environment it does write a ' +
    'version, so that values can’t be guessed.) `If-Match` requires a revision of the environment, `expectedVersion` a ' +
    'version of the key. For owners, admins and developers.',
  access: { kind: 'member', roles: writers, tokens: 'write', narrowestToken: 'environment', environmentRule: 'write' },
  query: z.strictObject(writeQuery),
  headers: IfMatchHeader,
  body: z.strictObject({
    key: SecretKey.meta({ description: 'The secret’s key.', example: 'DATABASE_HOST' }),
    value: SecretValue.meta({
      description: 'Any well-formed Unicode text of 0 to 64 KiB in UTF-8. It is returned byte for byte.',
      example: 'db.internal.example',
    }),
    expectedVersion: ExpectedVersion.optional(),
    message: Message.optional(),
  }),
  bodyExample: { key: 'DATABASE_HOST', value: 'db.internal.example' },
  responses: {
    200: {
      description: 'The secret already existed, or it was a dry run.',
      body: orDryRun(SetResult),
      example: { secret: summaryExample, changed: true, revision: 18 },
    },
    201: {
      description: 'The secret is new.',
      body: SetResult,
      example: { secret: { ...summaryExample, version: 1 }, changed: true, revision: 18 },
    },
  },
  errors: ['plan_limit_exceeded', 'revision_mismatch', 'version_mismatch'],
  uses: {
    table: ['BatchGetItem', 'GetItem', 'Query', 'PutItem', 'UpdateItem', 'DeleteItem'],
    reads: ['ENV', 'PLANS'],
    writes: ['ENV', 'AUDIT', 'PAYLOAD', 'DELIVERIES'],
    key: { project: ['Decrypt'] },
    queues: ['webhooks'],
  },
});

const ImportResult = z.object({
  created: keyNames('Keys that were created.'),
  updated: keyNames('Keys that got a new version.'),
  unchanged: keyNames('Keys that already had the value.'),
  revision: Revision,
});

export const importSecrets = /* @__PURE__ */ contract({
  operationId: 'import-secrets',
  area,
  method: 'POST',
  path: `${pathOfEnvironment}/bulk`,
  summary: 'Import secrets in bulk',
  description:
    'Sets up to 1,000 secrets, given as a list, an object or dotenv text, in one change: all or nothing, with one event ' +
    'and one revision. Secrets that are not named stay as they are. For owners, admins and developers.',
  access: { kind: 'member', roles: writers, tokens: 'write', narrowestToken: 'environment', environmentRule: 'write' },
  query: z.strictObject(writeQuery),
  headers: IfMatchHeader,
  body: ImportBody,
  bodyExample: {
    secrets: [
      { key: 'DATABASE_HOST', value: 'db.internal.example' },
      { key: 'LOG_LEVEL', value: 'info' },
    ],
  },
  responses: {
    200: {
      description: 'The result of the import.',
      body: orDryRun(ImportResult),
      example: { created: ['LOG_LEVEL'], updated: ['DATABASE_HOST'], unchanged: [], revision: 19 },
    },
  },
  errors: ['plan_limit_exceeded', 'revision_mismatch'],
  uses: {
    table: ['BatchGetItem', 'GetItem', 'Query', 'PutItem', 'UpdateItem', 'DeleteItem'],
    reads: ['ENV', 'PLANS'],
    writes: ['ENV', 'AUDIT', 'PAYLOAD', 'DELIVERIES'],
    key: { project: ['Decrypt'] },
    queues: ['webhooks'],
  },
  sizing: {
    memoryMb: 1024,
    timeoutSeconds: 29,
    reason: 'a thousand values are encrypted and written in several steps',
  },
});

export const applyChanges = /* @__PURE__ */ contract({
  operationId: 'apply-changes',
  area,
  method: 'POST',
  path: `${pathOfEnvironment}/changes`,
  summary: 'Set and delete secrets as one change',
  description:
    'Sets and deletes up to 1,000 secrets in any mixture, as one revision: all or nothing. Each key is named once. A key to ' +
    'delete that is not there is `404 secret_not_found`. For owners, admins and developers; deleting more than one secret ' +
    'is for owners and admins.',
  access: { kind: 'member', roles: writers, tokens: 'write', narrowestToken: 'environment', environmentRule: 'write' },
  query: z.strictObject(writeQuery),
  headers: IfMatchHeader,
  body: ChangesBody,
  bodyExample: {
    set: [{ key: 'DATABASE_HOST', value: 'db.internal.example' }],
    delete: ['LOG_LEVEL'],
    message: 'Move to the new database',
  },
  responses: {
    200: {
      description: 'The result of the change.',
      body: orDryRun(ImportResult.extend({ deleted: keyNames('Keys that were deleted.') })),
      example: { created: [], updated: ['DATABASE_HOST'], unchanged: [], deleted: ['LOG_LEVEL'], revision: 20 },
    },
  },
  errors: ['secret_not_found', 'plan_limit_exceeded', 'revision_mismatch', 'version_mismatch'],
  uses: {
    table: ['BatchGetItem', 'GetItem', 'Query', 'PutItem', 'UpdateItem', 'DeleteItem'],
    reads: ['ENV', 'PLANS'],
    writes: ['ENV', 'AUDIT', 'PAYLOAD', 'DELIVERIES'],
    key: { project: ['Decrypt'] },
    queues: ['webhooks'],
  },
  sizing: {
    memoryMb: 1024,
    timeoutSeconds: 29,
    reason: 'a thousand values are encrypted and written in several steps',
  },
});

export const listVersions = /* @__PURE__ */ contract({
  operationId: 'list-versions',
  area,
  method: 'GET',
  path: `${pathOfEnvironment}/versions/{key}`,
  summary: 'Version history of a key',
  description:
    'Returns the history of a key, newest first, even if the key was deleted; a deletion is an entry of its own. Values ' +
    'are included only with `values=true`, which is audited and requires no more than the right to read the environment. ' +
    'If the values of the whole history are too large for one answer, ask for pages.',
  access: { kind: 'member', roles, tokens: 'read', narrowestToken: 'environment', environmentRule: 'read' },
  query: z.strictObject({ values: flagQuery('Whether to return the values.').default(false), ...optionalPage }),
  responses: {
    200: {
      description: 'The history.',
      body: z.object({
        key: SecretSummary.shape.key,
        versions: z.array(SecretVersion).meta({ description: 'The versions, newest first.' }),
        pagination: Pagination.optional().meta({ description: 'Only if `limit` was given.' }),
      }),
      example: {
        key: 'DATABASE_HOST',
        versions: [
          { version: 2, revision: 18, createdAt, createdBy: author, deleted: true, destroyed: false },
          { version: 1, revision: 4, createdAt, createdBy: author, deleted: false, destroyed: false },
        ],
      },
    },
  },
  errors: ['payload_too_large'],
  uses: {
    table: ['BatchGetItem', 'GetItem', 'Query', 'PutItem', 'UpdateItem'],
    reads: ['ENV'],
    writes: ['AUDIT'],
    key: { project: ['Decrypt'] },
  },
  sizing: { memoryMb: 1024, reason: 'up to 4 MiB of values are decrypted and encoded in one answer' },
});

export const destroyVersions = /* @__PURE__ */ contract({
  operationId: 'destroy-versions',
  area,
  method: 'POST',
  path: `${pathOfEnvironment}/versions/{key}/destroy`,
  summary: 'Destroy old values of a key',
  description:
    'Takes the values of these versions out of the table for good, for a value that must not be there any more. The history ' +
    'keeps the versions, marked as destroyed, and the revision stays. The current version can’t be destroyed. What has no ' +
    'value any more is left out of `destroyed`. Reading or restoring a moment that needs a destroyed value is ' +
    '`409 version_destroyed`. For owners and admins.',
  access: {
    kind: 'member',
    roles: ['owner', 'admin'],
    tokens: 'write',
    narrowestToken: 'environment',
    environmentRule: 'write',
    fresh: 'always',
  },
  body: DestroyBody,
  bodyExample: { versions: [1] },
  responses: {
    200: {
      description: 'The values are destroyed.',
      body: z.object({
        destroyed: z.array(z.int()).meta({ description: 'The versions whose values were destroyed.' }),
        revision: Revision,
      }),
      example: { destroyed: [1], revision: 22 },
    },
  },
  errors: ['secret_not_found'],
  uses: {
    table: ['BatchGetItem', 'GetItem', 'Query', 'PutItem', 'UpdateItem'],
    reads: ['ENV'],
    writes: ['ENV', 'AUDIT'],
  },
});

export const promoteSecrets = /* @__PURE__ */ contract({
  operationId: 'promote-secrets',
  area,
  method: 'POST',
  path: '/v1/secrets/{orgSlug}/{project}/promote',
  summary: 'Promote secrets between environments',
  description:
    'Copies all secrets, or those that are named, from one environment of the project to another, as one change of the ' +
    'target: all or nothing. Secrets that only the target has stay as they are. Requires the right to read the source and ' +
    'to write the target; a limited token must cover both. `If-Match` refers to the target.',
  access: { kind: 'member', roles: writers, tokens: 'write', narrowestToken: 'environment', environmentRule: 'write' },
  query: z.strictObject(writeQuery),
  headers: IfMatchHeader,
  body: z
    .strictObject({
      from: Slug.meta({ description: 'Slug of the source environment.', example: 'dev' }),
      to: Slug.meta({ description: 'Slug of the target environment.', example: 'staging' }),
      keys: KeyList.optional().meta({
        description: 'The keys to promote. Without it, all keys of the source.',
        example: ['DATABASE_HOST'],
      }),
      overwrite: z
        .boolean()
        .default(true)
        .meta({ description: 'Whether to overwrite values that the target already has.' }),
      message: Message.optional(),
    })
    .refine(body => body.from === undefined || body.from !== body.to, {
      path: ['to'],
      message: 'must be a different environment from the source',
      when: ({ value }) => typeof value === 'object' && value !== null,
    }),
  bodyExample: { from: 'dev', to: 'staging', keys: ['DATABASE_HOST', 'LOG_LEVEL'], overwrite: false },
  responses: {
    200: {
      description: 'The result of the promotion.',
      body: orDryRun(
        z.object({
          promoted: keyNames('Keys whose values were copied.'),
          skipped: keyNames('Keys that the target already had, if `overwrite` is false.'),
          unchanged: keyNames('Keys that already had the same value.'),
          revision: Revision.meta({ description: 'The revision of the target.' }),
        }),
      ),
      example: { promoted: ['LOG_LEVEL'], skipped: ['DATABASE_HOST'], unchanged: [], revision: 6 },
    },
  },
  errors: ['environment_not_found', 'secret_not_found', 'plan_limit_exceeded', 'revision_mismatch'],
  uses: {
    table: ['BatchGetItem', 'GetItem', 'Query', 'PutItem', 'UpdateItem', 'DeleteItem', 'ConditionCheckItem'],
    reads: ['ENV', 'PLANS'],
    writes: ['ENV', 'AUDIT', 'PAYLOAD', 'DELIVERIES'],
    key: { project: ['Decrypt'] },
    queues: ['webhooks'],
  },
  sizing: {
    memoryMb: 1024,
    timeoutSeconds: 29,
    reason: 'a whole environment is re-encrypted and written in several steps',
  },
});

export const bulkDeleteSecrets = /* @__PURE__ */ contract({
  operationId: 'bulk-delete-secrets',
  area,
  method: 'POST',
  path: `${pathOfEnvironment}/bulk-delete`,
  summary: 'Delete secrets in bulk',
  description:
    'Soft-deletes up to 1,000 secrets in one change. Their histories stay. Keys that don’t exist are listed and change ' +
    'nothing. For owners and admins.',
  access: {
    kind: 'member',
    roles: ['owner', 'admin'],
    tokens: 'write',
    narrowestToken: 'environment',
    environmentRule: 'write',
  },
  query: z.strictObject(writeQuery),
  headers: IfMatchHeader,
  body: z.strictObject({
    keys: KeyList.meta({ description: 'The keys to delete, without duplicates.', example: ['DATABASE_HOST'] }),
    message: Message.optional(),
  }),
  bodyExample: { keys: ['DATABASE_HOST', 'LOG_LEVEL'] },
  responses: {
    200: {
      description: 'The result of the deletion.',
      body: orDryRun(
        z.object({
          deleted: keyNames('Keys that were deleted.'),
          notFound: keyNames('Keys that did not exist.'),
          revision: Revision,
        }),
      ),
      example: { deleted: ['DATABASE_HOST'], notFound: ['LOG_LEVEL'], revision: 20 },
    },
  },
  errors: ['revision_mismatch'],
  uses: {
    table: ['BatchGetItem', 'GetItem', 'Query', 'PutItem', 'UpdateItem', 'DeleteItem'],
    reads: ['ENV', 'PLANS'],
    writes: ['ENV', 'AUDIT', 'PAYLOAD', 'DELIVERIES'],
    // Needed to undo another writer's abandoned change while the project's key rotates (`undo-change.ts`).
    key: { project: ['Decrypt'] },
    queues: ['webhooks'],
  },
  sizing: { timeoutSeconds: 29, reason: 'a thousand deletions are written in several steps' },
});

export const deleteSecret = /* @__PURE__ */ contract({
  operationId: 'delete-secret',
  area,
  method: 'DELETE',
  path: `${pathOfEnvironment}/{key}`,
  summary: 'Soft-delete a secret',
  description:
    'Removes the secret from pulls and lists. Its history stays and gets an entry for the deletion. Setting the key again ' +
    'continues its version numbers. For owners, admins and developers.',
  access: { kind: 'member', roles: writers, tokens: 'write', narrowestToken: 'environment', environmentRule: 'write' },
  query: z.strictObject({ ...writeQuery, message: Message.optional() }),
  headers: IfMatchHeader,
  responses: {
    200: {
      description: 'The secret is deleted.',
      body: orDryRun(z.object({ success: Success.shape.success, revision: Revision })),
      example: { success: true, revision: 21 },
    },
  },
  errors: ['revision_mismatch'],
  uses: {
    table: ['BatchGetItem', 'GetItem', 'Query', 'PutItem', 'UpdateItem', 'DeleteItem'],
    reads: ['ENV', 'PLANS'],
    writes: ['ENV', 'AUDIT', 'PAYLOAD', 'DELIVERIES'],
    // Needed to undo another writer's abandoned change while the project's key rotates (`undo-change.ts`).
    key: { project: ['Decrypt'] },
    queues: ['webhooks'],
  },
});

export const SecretRevision = z
  .object({
    revision: Revision,
    action: AuditAction.nullable().meta({
      description: 'The action of its audit entry; null for a change of before revisions were recorded.',
      example: 'secret.bulk_set',
    }),
    message: z.string().nullable().meta({ description: 'Why, in the words of its author.', example: 'Rotate the key' }),
    createdAt: Timestamp.meta({ description: 'When the change was made.' }),
    createdBy: UserReference.nullable().meta({ description: 'Who made it; null for a repair by an operator.' }),
    created: keyNames('Keys that were created.'),
    updated: keyNames('Keys that got another value.'),
    deleted: keyNames('Keys that were deleted.'),
    from: z
      .object({ slug: Slug.meta({ description: 'Slug of the environment.', example: 'dev' }), revision: Revision })
      .optional()
      .meta({ description: 'The environment and revision that a promotion copied.' }),
    restored: z.int().optional().meta({ description: 'The revision that was restored.', example: 12 }),
  })
  .meta({ id: 'SecretRevision', description: 'One accepted change of an environment’s secrets.' });

export const listRevisions = /* @__PURE__ */ contract({
  operationId: 'list-revisions',
  area,
  method: 'GET',
  path: `${pathOfEnvironment}/revisions`,
  summary: 'List what each change did',
  description:
    'Returns the changes of an environment, newest first, with the names of the keys that each one created, updated and ' +
    'deleted, and never a value. There may be fewer than `limit` where their names would not fit an answer. Requires the ' +
    'right to read the environment.',
  access: { kind: 'member', roles, tokens: 'read', narrowestToken: 'environment', environmentRule: 'read' },
  query: z.strictObject({
    limit: integerQuery(1, 100, 'Revisions per page.').default(20),
    before: revisionQuery('Only revisions before this one: `next` of the page before.').optional(),
  }),
  responses: {
    200: {
      description: 'The revisions.',
      body: z.object({
        revisions: z.array(SecretRevision).meta({ description: 'The revisions, newest first.' }),
        next: z.int().nullable().meta({ description: 'For `before`; null at the end.', example: 17 }),
      }),
      example: {
        revisions: [
          {
            revision: 17,
            action: 'secret.updated',
            message: null,
            createdAt,
            createdBy: author,
            created: [],
            updated: ['DATABASE_HOST'],
            deleted: [],
          },
        ],
        next: 17,
      },
    },
  },
  errors: [],
  uses: { table: ['BatchGetItem', 'GetItem', 'Query', 'UpdateItem'], reads: ['ENV'] },
});

const DiffKey = SecretSummary.shape.key;
const Before = z.string().optional().meta({ description: 'The value at `from`; only with `values=true`.' });
const After = z.string().optional().meta({ description: 'The value at `to`; only with `values=true`.' });

export const diffRevisions = /* @__PURE__ */ contract({
  operationId: 'diff-revisions',
  area,
  method: 'GET',
  path: `${pathOfEnvironment}/diff`,
  summary: 'Compare two revisions',
  description:
    'Tells which keys were created, updated and deleted between two revisions of an environment; a key that came back to ' +
    'the same value is in none. `from` may be the later one. Values are included only with `values=true`, which is ' +
    'audited. Requires the right to read the environment.',
  access: { kind: 'member', roles, tokens: 'read', narrowestToken: 'environment', environmentRule: 'read' },
  query: z.strictObject({
    from: revisionQuery('The revision to begin with; 0 is empty.'),
    to: revisionQuery('The revision to end with. Without it, the current one.').optional(),
    values: flagQuery('Whether to return the values.').default(false),
  }),
  responses: {
    200: {
      description: 'The differences.',
      body: z.object({
        from: Revision,
        to: Revision,
        created: z.array(z.object({ key: DiffKey, after: After })).meta({ description: 'Keys that only `to` has.' }),
        updated: z
          .array(z.object({ key: DiffKey, before: Before, after: After }))
          .meta({ description: 'Keys with another value.' }),
        deleted: z
          .array(z.object({ key: DiffKey, before: Before }))
          .meta({ description: 'Keys that only `from` has.' }),
      }),
      example: { from: 12, to: 17, created: [{ key: 'LOG_LEVEL' }], updated: [{ key: 'DATABASE_HOST' }], deleted: [] },
    },
  },
  errors: ['revision_not_found', 'version_destroyed', 'payload_too_large'],
  uses: {
    table: ['BatchGetItem', 'GetItem', 'Query', 'PutItem', 'UpdateItem'],
    reads: ['ENV'],
    writes: ['AUDIT'],
    key: { project: ['Decrypt'] },
  },
  sizing: { memoryMb: 1024, reason: 'up to 4 MiB of values are decrypted and encoded in one answer' },
});

export const restoreSecrets = /* @__PURE__ */ contract({
  operationId: 'restore-secrets',
  area,
  method: 'POST',
  path: `${pathOfEnvironment}/restore`,
  summary: 'Restore an earlier revision',
  description:
    'Makes the environment, or those keys of it that are named, what it was at an earlier revision, as one change: a new ' +
    'revision, never a rewind. A key that is neither there now nor was then is ignored. For owners and admins.',
  access: {
    kind: 'member',
    roles: ['owner', 'admin'],
    tokens: 'write',
    narrowestToken: 'environment',
    environmentRule: 'write',
  },
  query: z.strictObject(writeQuery),
  headers: IfMatchHeader,
  body: z.strictObject({
    revision: z.int().meta({ description: 'The revision to restore; 0 is empty.', example: 12 }),
    keys: KeyList.optional().meta({
      description: 'The keys to restore. Without it, all of them.',
      example: ['DATABASE_HOST'],
    }),
    message: Message.optional(),
  }),
  bodyExample: { revision: 2, keys: ['LOG_LEVEL'], message: 'Undo the release' },
  responses: {
    200: {
      description: 'The result of the restoration.',
      body: orDryRun(
        z.object({
          created: keyNames('Keys that are there again.'),
          updated: keyNames('Keys that have their earlier value again.'),
          deleted: keyNames('Keys that were deleted, because they were not there.'),
          unchanged: keyNames('Keys that already had the value.'),
          restored: Revision.meta({ description: 'The revision that was restored.' }),
          revision: Revision,
        }),
      ),
      example: { created: [], updated: ['DATABASE_HOST'], deleted: [], unchanged: [], restored: 12, revision: 22 },
    },
  },
  errors: ['revision_not_found', 'version_destroyed', 'plan_limit_exceeded', 'revision_mismatch'],
  uses: {
    table: ['BatchGetItem', 'GetItem', 'Query', 'PutItem', 'UpdateItem', 'DeleteItem'],
    reads: ['ENV', 'PLANS'],
    writes: ['ENV', 'AUDIT', 'PAYLOAD', 'DELIVERIES'],
    key: { project: ['Decrypt'] },
    queues: ['webhooks'],
  },
  sizing: {
    memoryMb: 1024,
    timeoutSeconds: 29,
    reason: 'a whole environment is re-encrypted and written in several steps',
  },
});
