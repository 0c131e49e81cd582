import * as z from 'zod';
import { contract, ok } from '../contract.ts';
import { AuditAction } from '../fields/audit-action.ts';
import { ProposalContent, ProposalId } from '../fields/proposal.ts';
import { flagQuery, integerQuery, optionalPage, Pagination, revisionQuery } from '../fields/query.ts';
import { Expanded, Message, Slug, Timestamp, UserReference } from '../fields/text.ts';
import { changeUses, changing, IfMatchHeader, KeyList, orDryRun, referenceErrors, writeQuery } from './changes.ts';
import {
  keyNames,
  managesSecrets,
  mayNeedValues,
  Revision,
  readsNames,
  readsSecrets,
  SecretSummary,
} from './secrets.ts';

export const SecretVersion = z
  .object({
    version: SecretSummary.shape.version,
    revision: Revision.describe('The revision of the environment that this version belongs to.'),
    createdAt: Timestamp.describe('When it was written.'),
    createdBy: UserReference.describe('Who wrote it.'),
    deleted: z.boolean().describe('Whether this entry records a deletion.'),
    destroyed: z.boolean().describe('Whether the value was destroyed.'),
    expand: Expanded,
    value: z.string().optional().meta({
      description: 'The value; only with `values=true`, and never for a deletion or a destroyed value.',
      example: 'db.internal.example',
    }),
  })
  .meta({ id: 'SecretVersion', description: 'An entry in the history of a key.' });
export type SecretVersion = z.infer<typeof SecretVersion>;

export const listVersions = contract({
  operationId: 'list-versions',
  route: 'GET /v1/secrets/{orgSlug}/{project}/{env}/versions/{key}',
  summary: 'Get the version history of a key',
  description:
    'Returns the history of a key, newest first, even if the key was deleted. A deletion is an entry of its ' +
    'own. Values are included only with `values=true`, which is audited and requires no more than read access ' +
    'to the environment. If the values of the whole history are too large for one response, use `limit`.',
  access: { ...readsSecrets, ...mayNeedValues },
  query: z.strictObject({ values: flagQuery('Whether to return the values.').default(false), ...optionalPage }),
  responses: ok({
    description: 'The history.',
    body: z.object({
      key: SecretSummary.shape.key,
      versions: z.array(SecretVersion).describe('The versions, newest first.'),
      pagination: Pagination.optional().describe('Only if `limit` was given.'),
    }),
    example: {
      versions: [
        { version: 2, revision: 18, deleted: true },
        { version: 1, revision: 4 },
      ],
    },
  }),
  errors: ['payload_too_large'],
  uses: {
    table: { GetItem: ['ENV'], BatchGetItem: ['ENV'], Query: ['ENV'], PutItem: ['AUDIT'] },
    key: { project: ['Decrypt'] },
  },
  sizing: { memoryMb: 1024, reason: 'up to 4 MiB of values are decrypted and encoded in one response' },
});

export const SecretRevision = z
  .object({
    revision: Revision,
    action: AuditAction.nullable().meta({
      description: 'The action of its audit entry; null for a change made before revisions were recorded.',
      example: 'secret.bulk_set',
    }),
    message: z.string().nullable().meta({ description: 'The author’s reason.', example: 'Rotate the key' }),
    createdAt: Timestamp.describe('When the change was made.'),
    createdBy: UserReference.nullable().describe('Who made it; null for a repair by an operator.'),
    created: keyNames('Keys that were created.'),
    updated: keyNames('Keys that got a new value.'),
    deleted: keyNames('Keys that were deleted.'),
    from: z
      .object({ slug: Slug.meta({ description: 'Slug of the environment.', example: 'dev' }), revision: Revision })
      .optional()
      .describe('The environment and revision that a promotion copied from.'),
    restored: z.int().optional().meta({ description: 'The revision that was restored.', example: 12 }),
    proposal: z
      .object({ id: ProposalId.describe('Its identifier.'), holds: ProposalContent })
      .optional()
      .describe('The proposal that it applied. Its author is `createdBy`.'),
    approvedBy: z.array(UserReference).optional().describe('Who approved the proposal.'),
  })
  .meta({ id: 'SecretRevision', description: 'One accepted change to an environment’s secrets.' });

export const listRevisions = contract({
  operationId: 'list-revisions',
  route: 'GET /v1/secrets/{orgSlug}/{project}/{env}/revisions',
  summary: 'List the changes of an environment',
  description:
    'Returns the changes of an environment, newest first, with the names of the keys that each one created, ' +
    'updated and deleted, but never a value. A page may have fewer than `limit` entries if more names would not ' +
    'fit in a response. Requires read access to the environment.',
  access: readsNames,
  query: z.strictObject({
    limit: integerQuery(1, 100, 'Revisions per page.').default(20),
    before: revisionQuery('Only revisions before this one: `next` of the previous page.').optional(),
  }),
  responses: ok({
    description: 'The revisions.',
    body: z.object({
      revisions: z.array(SecretRevision).describe('The revisions, newest first.'),
      next: z.int().nullable().meta({ description: '`before` for the next page; null on the last.', example: 17 }),
    }),
    example: { revisions: [{ action: 'secret.updated', message: null, createdBy: {}, created: [], deleted: [] }] },
  }),
  uses: { table: { BatchGetItem: ['ENV'], Query: ['ENV'] } },
});

const DiffKey = SecretSummary.shape.key;
const Before = z.string().optional().describe('The value at `from`; only with `values=true`.');
const After = z.string().optional().describe('The value at `to`; only with `values=true`.');

export const diffRevisions = contract({
  operationId: 'diff-revisions',
  route: 'GET /v1/secrets/{orgSlug}/{project}/{env}/diff',
  summary: 'Compare two revisions',
  description:
    'Lists the keys that were created, updated or deleted between two revisions of an environment. Keys whose ' +
    'value is the same at both revisions are omitted. `from` may be later than `to`. Values are included only ' +
    'with `values=true`, which is audited. Requires read access to the environment. For a token for names only, ' +
    '`updated` is empty.',
  access: { ...readsSecrets, ...mayNeedValues },
  query: z.strictObject({
    from: revisionQuery('The first revision; 0 is empty.'),
    to: revisionQuery('The second revision. Defaults to the current one.').optional(),
    values: flagQuery('Whether to return the values.').default(false),
  }),
  responses: ok({
    description: 'The differences.',
    body: z.object({
      from: Revision,
      to: Revision,
      created: z.array(z.object({ key: DiffKey, after: After })).describe('Keys that exist only at `to`.'),
      updated: z.array(z.object({ key: DiffKey, before: Before, after: After })).describe('Keys whose value differs.'),
      deleted: z.array(z.object({ key: DiffKey, before: Before })).describe('Keys that exist only at `from`.'),
    }),
    example: { from: 12, created: [{ key: 'LOG_LEVEL' }], deleted: [] },
  }),
  errors: ['revision_not_found', 'version_destroyed', 'payload_too_large'],
  uses: {
    table: { GetItem: ['ENV', 'ORG'], BatchGetItem: ['ENV'], Query: ['ENV'], PutItem: ['AUDIT'] },
    key: { project: ['Decrypt'] },
  },
  sizing: { memoryMb: 1024, reason: 'up to 4 MiB of values are decrypted and encoded in one response' },
});

export const restoreSecrets = contract({
  operationId: 'restore-secrets',
  route: 'POST /v1/secrets/{orgSlug}/{project}/{env}/restore',
  summary: 'Restore an earlier revision',
  description:
    'Restores the environment, or the given keys, to an earlier revision in one change. This creates a new revision; ' +
    'the history is never rewound. A key that exists neither now nor at the earlier revision is ignored. If there is ' +
    'too much to restore in one change, some 4,000 keys, the error says how many fit; then name the keys.',
  access: { ...managesSecrets, ...changing },
  query: z.strictObject(writeQuery),
  headers: IfMatchHeader,
  body: z.strictObject({
    revision: z.int().meta({ description: 'The revision to restore; 0 is empty.', example: 12 }),
    keys: KeyList.optional().meta({ description: 'Keys to restore. Defaults to all.', example: ['DATABASE_HOST'] }),
    message: Message.optional(),
  }),
  bodyHolds: 'keys',
  bodyExample: { revision: 2, keys: ['LOG_LEVEL'], message: 'Undo the release' },
  responses: ok({
    description: 'The result of the restore.',
    body: orDryRun(
      z.object({
        created: keyNames('Keys that were created again.'),
        updated: keyNames('Keys that were set back to their earlier value.'),
        deleted: keyNames('Keys that were deleted because they didn’t exist at the earlier revision.'),
        unchanged: keyNames('Keys that already had the value.'),
        restored: Revision.describe('The revision that was restored.'),
        revision: Revision,
      }),
    ),
    example: { created: [], deleted: [], unchanged: [], restored: 12, revision: 22 },
  }),
  errors: [
    'revision_not_found',
    'version_destroyed',
    'plan_limit_exceeded',
    'approval_required',
    'revision_mismatch',
    ...referenceErrors,
  ],
  uses: { ...changeUses, table: { ...changeUses.table, GetItem: [...changeUses.table.GetItem, 'ORG'] } },
  sizing: { memoryMb: 1024, reason: 'a whole environment is re-encrypted and written in several steps' },
});

const maximumVersions = 1000;

const VersionNumber = z
  .int()
  .min(1, { message: 'must be 1 or more' })
  .max(9_999_999_999, { message: 'must be a version' });

/** Which versions of a key to destroy. */
export const DestroyBody = z
  .strictObject({
    versions: z
      .array(VersionNumber)
      .min(1, { message: 'must have at least one item' })
      .max(maximumVersions, { message: `must have at most ${maximumVersions} items` })
      .optional()
      .meta({ description: 'These versions.', example: [1, 2] }),
    before: VersionNumber.optional().meta({ description: 'All versions before this one.', example: 3 }),
  })
  .superRefine(({ versions, before }, context) => {
    if ((versions === undefined) === (before === undefined)) {
      context.addIssue({ code: 'custom', message: 'must have either versions or before' });
    }
  });
export type DestroyBody = z.infer<typeof DestroyBody>;

export const destroyVersions = contract({
  operationId: 'destroy-versions',
  route: 'POST /v1/secrets/{orgSlug}/{project}/{env}/versions/{key}/destroy',
  summary: 'Destroy old values of a key',
  description:
    'Permanently removes the values of these versions from the table. The history keeps the versions, marked as ' +
    'destroyed, and the revision doesn’t change. The current version can’t be destroyed. Versions that no longer ' +
    'have a value are left out of `destroyed`. Reading or restoring a point in time that needs a destroyed value ' +
    'returns `409 version_destroyed`. A token needs `full` access.',
  access: { ...managesSecrets, tokens: 'full', fresh: 'always' },
  body: DestroyBody,
  bodyExample: { versions: [1] },
  responses: ok({
    description: 'The values were destroyed.',
    body: z.object({ destroyed: z.array(z.int()).describe('The destroyed versions.'), revision: Revision }),
    example: { destroyed: [1], revision: 22 },
  }),
  errors: ['secret_not_found'],
  uses: { table: { GetItem: ['ENV'], BatchGetItem: ['ENV'], Query: ['ENV'], PutItem: ['AUDIT'], UpdateItem: ['ENV'] } },
});
