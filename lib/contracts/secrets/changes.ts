import * as z from 'zod';
import { contract, ok } from '../contract.ts';
import { Success, uniqueList } from '../fields/bodies.ts';
import { ChangesBody } from '../fields/changes-body.ts';
import { ambiguity } from '../fields/dotenv-text.ts';
import { newSecret } from '../fields/generate.ts';
import { ImportBody } from '../fields/import-body.ts';
import { ExpectedVersion, IfMatch } from '../fields/preconditions.ts';
import { flagQuery } from '../fields/query.ts';
import { maxKeysPerChange } from '../fields/secret-rules.ts';
import { line, Message, SecretKey } from '../fields/text.ts';
import { keyNames, managesSecrets, mayNeedValues, Revision, SecretSummary, writesSecrets } from './secrets.ts';

/**
 * What every change of secrets uses. Even a deletion may have to undo another writer's abandoned change during a key
 * rotation (`undo-change.ts`), which requires decryption.
 */
export const changeUses = {
  table: {
    GetItem: ['AUDIT', 'ENV'],
    BatchGetItem: ['ENV', 'PLANS'],
    Query: ['ENV', 'ORG'],
    PutItem: ['AUDIT', 'DELIVERIES', 'ENV', 'PAYLOAD'],
    UpdateItem: ['ENV'],
    DeleteItem: ['ENV'],
  },
  key: { project: ['Decrypt'] },
  queues: ['webhooks', 'jobs'],
} as const;

/** What a change is refused with for the keys that values name. */
export const referenceErrors = [
  'key_referenced',
  'reference_not_found',
  'reference_cycle',
  'reference_too_deep',
] as const;

export const IfMatchHeader = z.object({
  'if-match': IfMatch.optional().meta({
    description: 'If the environment is at another revision, the response is `412 revision_mismatch`. `*` matches any.',
    example: '"17"',
  }),
});

export const writeQuery = {
  dryRun: flagQuery(
    'Whether to return only what the change would do. Everything is validated; nothing is changed, recorded or sent.',
  ).default(false),
  bypass: line(1, 200)
    .optional()
    .meta({
      description:
        'The reason to make the change without the approvals that the environment requires. Only for an owner’s fresh ' +
        'session; owners and admins get a mail. Ignored if the environment requires no approvals.',
      example: 'The database is down',
    }),
};

/**
 * How secrets are changed: approvals can be bypassed, which takes a fresh session, and a token for names only may ask
 * what the change would do, or change what needs no value of its own.
 */
export const changing = { fresh: 'by-content', ...mayNeedValues } as const;

export const ChangePlan = z
  .object({
    created: keyNames('Keys that would be created.'),
    updated: keyNames('Keys that would get a new version.'),
    unchanged: keyNames('Keys that already have the value. Empty if the caller can’t read the environment.'),
    deleted: keyNames('Keys that would be deleted.'),
    skipped: keyNames('Keys that would be left unchanged for another reason.'),
  })
  .meta({
    id: 'ChangePlan',
    description:
      'What a change would do. Each list is in key order. For a token for names only, `updated`, `unchanged` and ' +
      '`skipped` are empty, and sizes and references are not checked: they would tell something about values.',
  });
export type ChangePlan = z.infer<typeof ChangePlan>;

export const DryRun = z
  .object({
    dryRun: z.literal(true).describe('Nothing was changed.'),
    plan: ChangePlan,
    revision: Revision.describe('The revision that the plan is based on.'),
  })
  .meta({ id: 'DryRun', description: 'The response to `dryRun=true`.' });
export type DryRun = z.infer<typeof DryRun>;

/** The result of the write, or the plan of a dry run. */
export function orDryRun<Body extends z.ZodType, Plan extends z.ZodType = typeof DryRun>(body: Body, plan?: Plan) {
  return z.union([body, plan ?? DryRun]);
}

export const KeyList = uniqueList(SecretKey, 1, maxKeysPerChange);

export const ImportResult = z.object({
  created: keyNames('Keys that were created.'),
  updated: keyNames('Keys that got a new version.'),
  unchanged: keyNames('Keys that already had the value.'),
  revision: Revision,
});

const SetResult = z.object({
  secret: SecretSummary.describe('The secret after the change, without its value.'),
  changed: z.boolean().describe('False if the secret already had this value. No version or event is created then.'),
  revision: Revision,
});

export const setSecret = contract({
  operationId: 'set-secret',
  route: 'PUT /v1/secrets/{orgSlug}/{project}/{env}',
  summary: 'Set one secret',
  description:
    'Creates the secret or its next version, and increases the environment’s revision by one. Setting the same ' +
    'value again changes nothing, so a retry is harmless. (If the caller can’t read the environment, it does ' +
    'create a version, so that values can’t be guessed.) `If-Match` checks the environment’s revision, ' +
    '`expectedVersion` the key’s version. A key such as `LD_PRELOAD`, which can control which code runs or whom it ' +
    'trusts, can only be set by callers who can read the environment. With `generate`, the service makes the value and ' +
    'never shows it, so every request creates a version.',
  access: { ...writesSecrets, ...changing },
  query: z.strictObject(writeQuery),
  headers: IfMatchHeader,
  body: newSecret({ expectedVersion: ExpectedVersion.optional(), message: Message.optional() }),
  bodyHolds: 'secrets',
  bodyExample: { key: 'DATABASE_HOST', value: 'db.internal.example' },
  responses: {
    200: {
      description: 'The secret already existed, or it was a dry run.',
      body: orDryRun(SetResult),
      example: { changed: true, revision: 18 },
    },
    201: {
      description: 'The secret is new.',
      body: SetResult,
      example: { secret: { version: 1 }, changed: true, revision: 18 },
    },
  },
  errors: ['plan_limit_exceeded', 'approval_required', 'revision_mismatch', 'version_mismatch', ...referenceErrors],
  isWaitedFor: true,
  uses: changeUses,
});

export const applyChanges = contract({
  operationId: 'apply-changes',
  route: 'POST /v1/secrets/{orgSlug}/{project}/{env}/changes',
  summary: 'Set and delete secrets in one change',
  description:
    'Sets and deletes up to 1,000 secrets in one revision, all or nothing. A key may appear only once. Deleting ' +
    'a key that doesn’t exist returns `404 secret_not_found`. Some keys need read access, as for setting one ' +
    'secret. Only owners and admins may delete more than one.',
  access: { ...writesSecrets, ...changing },
  query: z.strictObject(writeQuery),
  headers: IfMatchHeader,
  body: ChangesBody,
  bodyHolds: 'secrets',
  bodyExample: {
    set: [{ key: 'DATABASE_HOST', value: 'db.internal.example' }],
    delete: ['LOG_LEVEL'],
    message: 'Move to the new database',
  },
  responses: ok({
    description: 'The result of the change.',
    body: orDryRun(
      ImportResult.extend({ deleted: keyNames('Keys that were deleted.'), ...ambiguity }),
      DryRun.extend(ambiguity),
    ),
    example: { created: [], unchanged: [], deleted: ['LOG_LEVEL'], revision: 20 },
  }),
  errors: [
    'secret_not_found',
    'plan_limit_exceeded',
    'approval_required',
    'revision_mismatch',
    'version_mismatch',
    ...referenceErrors,
  ],
  isWaitedFor: true,
  uses: changeUses,
  sizing: { memoryMb: 1024, reason: 'a thousand values are encrypted and written in several steps' },
});

export const bulkDeleteSecrets = contract({
  operationId: 'bulk-delete-secrets',
  route: 'POST /v1/secrets/{orgSlug}/{project}/{env}/bulk-delete',
  summary: 'Delete secrets in bulk',
  description: 'Soft-deletes up to 1,000 secrets in one change. Histories are kept. Unknown keys are only reported.',
  access: { ...managesSecrets, ...changing },
  query: z.strictObject(writeQuery),
  headers: IfMatchHeader,
  body: z.strictObject({
    keys: KeyList.meta({ description: 'The keys to delete, without duplicates.', example: ['DATABASE_HOST'] }),
    message: Message.optional(),
  }),
  bodyHolds: 'keys',
  bodyExample: { keys: ['DATABASE_HOST', 'LOG_LEVEL'] },
  responses: ok({
    description: 'The result of the deletion.',
    body: orDryRun(
      z.object({
        deleted: keyNames('Keys that were deleted.'),
        notFound: keyNames('Keys that did not exist.'),
        revision: Revision,
      }),
    ),
    example: { notFound: ['LOG_LEVEL'], revision: 20 },
  }),
  errors: ['approval_required', 'revision_mismatch', 'key_referenced'],
  uses: changeUses,
});

export const deleteSecret = contract({
  operationId: 'delete-secret',
  route: 'DELETE /v1/secrets/{orgSlug}/{project}/{env}/{key}',
  summary: 'Soft-delete a secret',
  description: 'Removes the secret, but keeps its history. If the key is set again, its version numbers continue.',
  access: { ...writesSecrets, ...changing },
  query: z.strictObject({ ...writeQuery, message: Message.optional() }),
  headers: IfMatchHeader,
  responses: ok({
    description: 'The secret was deleted.',
    body: orDryRun(z.object({ success: Success.shape.success, revision: Revision })),
    example: { revision: 21 },
  }),
  errors: ['approval_required', 'revision_mismatch', 'key_referenced'],
  isWaitedFor: true,
  uses: changeUses,
});

export const importSecrets = contract({
  operationId: 'import-secrets',
  route: 'POST /v1/secrets/{orgSlug}/{project}/{env}/bulk',
  summary: 'Import secrets in bulk',
  description:
    'Sets up to 1,000 secrets, given as a list, an object or dotenv text, in one change with one event and one ' +
    'revision, all or nothing. Other secrets stay as they are. Some keys need read access, as for setting one secret.',
  access: { ...writesSecrets, ...changing },
  query: z.strictObject(writeQuery),
  headers: IfMatchHeader,
  body: ImportBody,
  bodyHolds: 'secrets',
  bodyExample: {
    secrets: [
      { key: 'DATABASE_HOST', value: 'db.internal.example' },
      { key: 'LOG_LEVEL', value: 'info' },
    ],
  },
  responses: ok({
    description: 'The result of the import.',
    body: orDryRun(ImportResult.extend(ambiguity), DryRun.extend(ambiguity)),
    example: { created: ['LOG_LEVEL'], unchanged: [], revision: 19 },
  }),
  errors: ['plan_limit_exceeded', 'approval_required', 'revision_mismatch', ...referenceErrors],
  isWaitedFor: true,
  uses: changeUses,
  sizing: { memoryMb: 1024, reason: 'a thousand values are encrypted and written in several steps' },
});
