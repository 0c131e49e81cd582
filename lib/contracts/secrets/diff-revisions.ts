import * as z from 'zod';
import { contract, ok } from '../contract.ts';
import { flagQuery, revisionQuery } from '../fields/query.ts';
import { Revision, readsSecrets, SecretSummary } from './secret.ts';

const DiffKey = SecretSummary.shape.key;

const Before = z.string().optional().meta({ description: 'The value at `from`; only with `values=true`.' });

const After = z.string().optional().meta({ description: 'The value at `to`; only with `values=true`.' });

export const diffRevisions = contract({
  operationId: 'diff-revisions',
  route: 'GET /v1/secrets/{orgSlug}/{project}/{env}/diff',
  summary: 'Compare two revisions',
  description:
    'Lists the keys that were created, updated or deleted between two revisions of an environment. Keys whose ' +
    'value is the same at both revisions are omitted. `from` may be later than `to`. Values are included only ' +
    'with `values=true`, which is audited. Requires read access to the environment.',
  access: readsSecrets,
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
      created: z.array(z.object({ key: DiffKey, after: After })).meta({ description: 'Keys that exist only at `to`.' }),
      updated: z
        .array(z.object({ key: DiffKey, before: Before, after: After }))
        .meta({ description: 'Keys with different values.' }),
      deleted: z
        .array(z.object({ key: DiffKey, before: Before }))
        .meta({ description: 'Keys that exist only at `from`.' }),
    }),
    example: { from: 12, created: [{ key: 'LOG_LEVEL' }], deleted: [] },
  }),
  errors: ['revision_not_found', 'version_destroyed', 'payload_too_large'],
  uses: { table: ['GetItem', 'Query'], reads: ['ENV'], writes: ['AUDIT'], key: { project: ['Decrypt'] } },
  sizing: { memoryMb: 1024, reason: 'up to 4 MiB of values are decrypted and encoded in one response' },
});
