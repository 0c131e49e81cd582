import * as z from 'zod';
import { contract } from './contract.ts';
import { ImportBody, maxKeysPerChange } from './fields/import-body.ts';
import { uniqueList } from './fields/list.ts';
import { optionalPage, Pagination } from './fields/pagination.ts';
import { IfMatch, IfNoneMatch } from './fields/preconditions.ts';
import { flagQuery, prefixQuery } from './fields/query.ts';
import { roles } from './fields/role.ts';
import { SecretValue } from './fields/secret-value.ts';
import { Success } from './fields/success.ts';
import { SecretKey, Slug, Timestamp } from './fields/text.ts';
import { UserReference } from './fields/user-reference.ts';

const area = 'secrets';

const writers = ['owner', 'admin', 'developer'] as const;

/** What is told about a secret where its value is not. */
export const SecretSummary = z
  .object({
    key: SecretKey.meta({ description: 'The secret’s key.', example: 'DATABASE_HOST' }),
    version: z.int().meta({ description: 'Counts the changes of this key, from 1.', example: 3 }),
    createdAt: Timestamp.meta({ description: 'When the key was first set (again, after a deletion).' }),
    updatedAt: Timestamp.meta({ description: 'When this version was written.' }),
    updatedBy: UserReference.meta({ description: 'Who wrote this version.' }),
  })
  .meta({ id: 'SecretSummary', description: 'A secret without its value.' });
export type SecretSummary = z.infer<typeof SecretSummary>;

export const SecretEntry = z
  .object({
    key: SecretSummary.shape.key,
    // Not parsed again on the way out: it was when it was set, and 4 MiB of values would be walked a second time.
    value: z.string().meta({ description: 'The value, as it was set.', example: 'db.internal.example' }),
    version: SecretSummary.shape.version,
    createdAt: SecretSummary.shape.createdAt,
    updatedAt: SecretSummary.shape.updatedAt,
    updatedBy: SecretSummary.shape.updatedBy,
  })
  .meta({ id: 'SecretEntry', description: 'A secret with its value.' });
export type SecretEntry = z.infer<typeof SecretEntry>;

const Revision = z.int().meta({
  description: 'The environment’s revision: raised by one for each accepted change of its secrets.',
  example: 17,
});

export const SecretVersion = z
  .object({
    version: SecretSummary.shape.version,
    revision: Revision.meta({ description: 'The environment’s revision that this version belongs to.' }),
    createdAt: Timestamp.meta({ description: 'When it was written.' }),
    createdBy: UserReference.meta({ description: 'Who wrote it.' }),
    deleted: z.boolean().meta({ description: 'Whether this entry records a deletion.' }),
    value: z.string().optional().meta({
      description: 'Only with `values=true`, and not for a deletion.',
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
    description: 'The `ETag` of an earlier answer; if the environment is still at that revision the answer is `304`.',
    example: '"17"',
  }),
});
const IfMatchHeader = z.object({
  'if-match': IfMatch.optional().meta({
    description: 'Changes only that revision of the environment; any other is `412 revision_mismatch`. `*` is any.',
    example: '"17"',
  }),
});

const entityTag = { ETag: 'The environment’s revision in double quotes, for `If-None-Match` and `If-Match`.' };
const notModified = {
  description: 'The environment is still at the revision of `If-None-Match`; nothing was read or decrypted.',
  body: null,
  headers: entityTag,
} as const;

const listQuery = {
  ...optionalPage,
  search: prefixQuery('Keeps keys that start with this prefix; case-sensitive.')
    .optional()
    .meta({ example: 'DATABASE_' }),
};

const KeyList = uniqueList(SecretKey, 1, maxKeysPerChange);
const keyNames = (description: string) => z.array(z.string()).meta({ description, example: ['DATABASE_HOST'] });

export const pullSecrets = /* @__PURE__ */ contract({
  operationId: 'pull-secrets',
  area,
  method: 'GET',
  path: pathOfEnvironment,
  summary: 'Pull all secrets, decrypted',
  description:
    'Returns the secrets with their values, in key order, as one snapshot of the environment’s `revision`: half of a ' +
    'change is never seen. With `If-None-Match` an unchanged environment answers `304`. Owners and admins read every ' +
    'environment, developers those of type development and staging, viewers development. Every pull is audited.',
  access: { kind: 'member', roles, tokens: 'read', narrowestToken: 'environment', environmentRule: 'read' },
  query: z.object(listQuery),
  headers: IfNoneMatchHeader,
  responses: {
    200: {
      description: 'The secrets.',
      body: z.object({
        secrets: z.array(SecretEntry).meta({ description: 'The secrets, in key order.' }),
        revision: Revision,
        pagination: Pagination.optional().meta({ description: 'Only where `limit` was given.' }),
      }),
      example: { secrets: [{ ...summaryExample, value: 'db.internal.example' }], revision: 17 },
      headers: entityTag,
    },
    304: notModified,
  },
  errors: ['payload_too_large'],
  uses: { table: ['BatchGetItem', 'GetItem', 'Query', 'PutItem', 'UpdateItem'], key: ['Decrypt'] },
  sizing: { memoryMb: 1024, reason: 'up to 4 MiB of values are decrypted and encoded in one answer' },
});

export const listKeys = /* @__PURE__ */ contract({
  operationId: 'list-keys',
  area,
  method: 'GET',
  path: `${pathOfEnvironment}/keys`,
  summary: 'List keys only, no values',
  description:
    'Like the pull, without values: nothing is decrypted and no audit entry is made. Needs the right to read the ' +
    'environment.',
  access: { kind: 'member', roles, tokens: 'read', narrowestToken: 'environment', environmentRule: 'read' },
  query: z.object(listQuery),
  headers: IfNoneMatchHeader,
  responses: {
    200: {
      description: 'The keys.',
      body: z.object({
        keys: z.array(SecretSummary).meta({ description: 'The secrets without values, in key order.' }),
        revision: Revision,
        pagination: Pagination.optional().meta({ description: 'Only where `limit` was given.' }),
      }),
      example: { keys: [summaryExample], revision: 17, pagination: { limit: 50, offset: 0, total: 1 } },
      headers: entityTag,
    },
    304: notModified,
  },
  errors: ['payload_too_large'],
  uses: { table: ['BatchGetItem', 'GetItem', 'Query', 'UpdateItem'] },
});

const SetResult = z.object({
  secret: SecretSummary.meta({ description: 'The secret as it is now, without its value.' }),
  changed: z.boolean().meta({ description: 'False where the value was already there: no version, no event.' }),
  revision: Revision,
});

export const setSecret = /* @__PURE__ */ contract({
  operationId: 'set-secret',
  area,
  method: 'PUT',
  path: pathOfEnvironment,
  summary: 'Set one secret',
  description:
    'Creates the secret or writes its next version, and raises the environment’s revision by one. Setting the value that ' +
    'is already there changes nothing, so a retry is harmless (but where the caller may not read the environment it is a ' +
    'version like any other, so that values can’t be guessed). `If-Match` demands a revision of the environment, ' +
    '`expectedVersion` one of the key. Owners, admins and developers.',
  access: { kind: 'member', roles: writers, tokens: 'write', narrowestToken: 'environment', environmentRule: 'write' },
  headers: IfMatchHeader,
  body: z.strictObject({
    key: SecretKey.meta({ description: 'The secret’s key.', example: 'DATABASE_HOST' }),
    value: SecretValue.meta({
      description: 'Any well-formed Unicode, 0 to 64 KiB in UTF-8; returned byte for byte.',
      example: 'db.internal.example',
    }),
    expectedVersion: z
      .int({ message: 'must be a whole number' })
      .min(0, { message: 'must be 0 or more' })
      .optional()
      .meta({ description: 'The version the key must have; 0 = it must not exist.', example: 2 }),
  }),
  bodyExample: { key: 'DATABASE_HOST', value: 'db.internal.example' },
  responses: {
    200: {
      description: 'The secret was there before.',
      body: SetResult,
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
    key: ['Decrypt'],
    queues: ['webhooks'],
  },
});

export const importSecrets = /* @__PURE__ */ contract({
  operationId: 'import-secrets',
  area,
  method: 'POST',
  path: `${pathOfEnvironment}/bulk`,
  summary: 'Import secrets in bulk',
  description:
    'Sets up to 1,000 secrets as one change, all or nothing: a list, an object or dotenv text. Secrets that are not named ' +
    'stay as they are. One event and one revision for the whole import. Owners, admins and developers.',
  access: { kind: 'member', roles: writers, tokens: 'write', narrowestToken: 'environment', environmentRule: 'write' },
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
      description: 'What the import did.',
      body: z.object({
        created: keyNames('Keys that are new.'),
        updated: keyNames('Keys that have a new version.'),
        unchanged: keyNames('Keys that had that value already.'),
        revision: Revision,
      }),
      example: { created: ['LOG_LEVEL'], updated: ['DATABASE_HOST'], unchanged: [], revision: 19 },
    },
  },
  errors: ['plan_limit_exceeded', 'revision_mismatch'],
  uses: {
    table: ['BatchGetItem', 'GetItem', 'Query', 'PutItem', 'UpdateItem', 'DeleteItem'],
    key: ['Decrypt'],
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
    'The history of a key, newest first, also of a deleted one; a deletion is an entry of its own. Values come only with ' +
    '`values=true`, which is audited, and need no other right than reading the environment. Where the values of the whole ' +
    'history are too large for one answer, ask for pages.',
  access: { kind: 'member', roles, tokens: 'read', narrowestToken: 'environment', environmentRule: 'read' },
  query: z.object({ values: flagQuery('Whether to return the values.').default(false), ...optionalPage }),
  responses: {
    200: {
      description: 'The history.',
      body: z.object({
        key: SecretSummary.shape.key,
        versions: z.array(SecretVersion).meta({ description: 'The versions, newest first.' }),
        pagination: Pagination.optional().meta({ description: 'Only where `limit` was given.' }),
      }),
      example: {
        key: 'DATABASE_HOST',
        versions: [
          { version: 2, revision: 18, createdAt, createdBy: author, deleted: true },
          { version: 1, revision: 4, createdAt, createdBy: author, deleted: false },
        ],
      },
    },
  },
  errors: ['payload_too_large'],
  uses: { table: ['BatchGetItem', 'GetItem', 'Query', 'PutItem', 'UpdateItem'], key: ['Decrypt'] },
  sizing: { memoryMb: 1024, reason: 'up to 4 MiB of values are decrypted and encoded in one answer' },
});

export const promoteSecrets = /* @__PURE__ */ contract({
  operationId: 'promote-secrets',
  area,
  method: 'POST',
  path: '/v1/secrets/{orgSlug}/{project}/promote',
  summary: 'Promote secrets between environments',
  description:
    'Copies all secrets, or those named, from one environment of the project to another as one change of the target, all ' +
    'or nothing. Secrets that only the target has stay. Needs the right to read the source and to write the target; a ' +
    'limited token must cover both. `If-Match` is about the target.',
  access: { kind: 'member', roles: writers, tokens: 'write', narrowestToken: 'environment', environmentRule: 'write' },
  headers: IfMatchHeader,
  body: z
    .strictObject({
      from: Slug.meta({ description: 'Slug of the source environment.', example: 'dev' }),
      to: Slug.meta({ description: 'Slug of the target environment.', example: 'staging' }),
      keys: KeyList.optional().meta({
        description: 'The keys to promote; all of the source where omitted.',
        example: ['DATABASE_HOST'],
      }),
      overwrite: z
        .boolean({ message: 'must be true or false' })
        .default(true)
        .meta({ description: 'Whether to replace values that the target already has.' }),
    })
    .refine(body => body.from === undefined || body.from !== body.to, {
      path: ['to'],
      message: 'must be another environment than from',
      when: ({ value }) => typeof value === 'object' && value !== null,
    }),
  bodyExample: { from: 'dev', to: 'staging', keys: ['DATABASE_HOST', 'LOG_LEVEL'], overwrite: false },
  responses: {
    200: {
      description: 'What the promotion did.',
      body: z.object({
        promoted: keyNames('Keys whose value was copied.'),
        skipped: keyNames('Keys that the target had already, with `overwrite` false.'),
        unchanged: keyNames('Keys whose value was the same already.'),
        revision: Revision.meta({ description: 'The target’s revision.' }),
      }),
      example: { promoted: ['LOG_LEVEL'], skipped: ['DATABASE_HOST'], unchanged: [], revision: 6 },
    },
  },
  errors: ['environment_not_found', 'secret_not_found', 'plan_limit_exceeded', 'revision_mismatch'],
  uses: {
    table: ['BatchGetItem', 'GetItem', 'Query', 'PutItem', 'UpdateItem', 'DeleteItem'],
    key: ['Decrypt'],
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
    'Soft-deletes up to 1,000 secrets as one change; their histories stay. Keys that are not there are listed and change ' +
    'nothing. Owners and admins.',
  access: {
    kind: 'member',
    roles: ['owner', 'admin'],
    tokens: 'write',
    narrowestToken: 'environment',
    environmentRule: 'write',
  },
  headers: IfMatchHeader,
  body: z.strictObject({
    keys: KeyList.meta({ description: 'The keys to delete, without duplicates.', example: ['DATABASE_HOST'] }),
  }),
  bodyExample: { keys: ['DATABASE_HOST', 'LOG_LEVEL'] },
  responses: {
    200: {
      description: 'What was deleted.',
      body: z.object({
        deleted: keyNames('Keys that were deleted.'),
        notFound: keyNames('Keys that were not there.'),
        revision: Revision,
      }),
      example: { deleted: ['DATABASE_HOST'], notFound: ['LOG_LEVEL'], revision: 20 },
    },
  },
  errors: ['revision_mismatch'],
  uses: {
    table: ['BatchGetItem', 'GetItem', 'Query', 'PutItem', 'UpdateItem', 'DeleteItem'],
    // For undoing another writer's abandoned change while the project's key rotates (`undo-change.ts`).
    key: ['Decrypt'],
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
    'The secret is gone from pulls and lists; its history stays and gets an entry for the deletion. Setting the key again ' +
    'goes on with its version numbers. Owners, admins and developers.',
  access: { kind: 'member', roles: writers, tokens: 'write', narrowestToken: 'environment', environmentRule: 'write' },
  headers: IfMatchHeader,
  responses: {
    200: {
      description: 'The secret is deleted.',
      body: z.object({
        success: Success.shape.success,
        revision: Revision,
      }),
      example: { success: true, revision: 21 },
    },
  },
  errors: ['revision_mismatch'],
  uses: {
    table: ['BatchGetItem', 'GetItem', 'Query', 'PutItem', 'UpdateItem', 'DeleteItem'],
    // For undoing another writer's abandoned change while the project's key rotates (`undo-change.ts`).
    key: ['Decrypt'],
    queues: ['webhooks'],
  },
});
