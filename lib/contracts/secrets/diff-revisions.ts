import * as z from 'zod';
import { contract } from '../contract.ts';
import { flagQuery, revisionQuery } from '../fields/query.ts';
import { roles } from '../fields/role.ts';
import { Revision } from './revision.ts';
import { SecretSummary } from './secret-summary.ts';

const DiffKey = SecretSummary.shape.key;

const Before = z.string().optional().meta({ description: 'The value at `from`; only with `values=true`.' });

const After = z.string().optional().meta({ description: 'The value at `to`; only with `values=true`.' });

export const diffRevisions = contract({
  operationId: 'diff-revisions',
  route: 'GET /v1/secrets/{orgSlug}/{project}/{env}/diff',
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
      example: { from: 12, created: [{ key: 'LOG_LEVEL' }], deleted: [] },
    },
  },
  errors: ['revision_not_found', 'version_destroyed', 'payload_too_large'],
  uses: { table: ['GetItem', 'Query'], reads: ['ENV'], writes: ['AUDIT'], key: { project: ['Decrypt'] } },
  sizing: { memoryMb: 1024, reason: 'up to 4 MiB of values are decrypted and encoded in one answer' },
});
