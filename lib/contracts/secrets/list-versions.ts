import * as z from 'zod';
import { contract, ok } from '../contract.ts';
import { flagQuery, optionalPage, Pagination } from '../fields/query.ts';
import { Timestamp, UserReference } from '../fields/text.ts';
import { Revision, readsSecrets, SecretSummary } from './secret.ts';

export const SecretVersion = z
  .object({
    version: SecretSummary.shape.version,
    revision: Revision.meta({ description: 'The revision of the environment that this version belongs to.' }),
    createdAt: Timestamp.meta({ description: 'When it was written.' }),
    createdBy: UserReference.meta({ description: 'Who wrote it.' }),
    deleted: z.boolean().meta({ description: 'Whether this entry records a deletion.' }),
    destroyed: z.boolean().meta({ description: 'Whether the value was destroyed.' }),
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
  access: readsSecrets,
  query: z.strictObject({ values: flagQuery('Whether to return the values.').default(false), ...optionalPage }),
  responses: ok({
    description: 'The history.',
    body: z.object({
      key: SecretSummary.shape.key,
      versions: z.array(SecretVersion).meta({ description: 'The versions, newest first.' }),
      pagination: Pagination.optional().meta({ description: 'Only if `limit` was given.' }),
    }),
    example: {
      versions: [
        { version: 2, revision: 18, deleted: true },
        { version: 1, revision: 4 },
      ],
    },
  }),
  errors: ['payload_too_large'],
  uses: { table: ['GetItem', 'Query'], reads: ['ENV'], writes: ['AUDIT'], key: { project: ['Decrypt'] } },
  sizing: { memoryMb: 1024, reason: 'up to 4 MiB of values are decrypted and encoded in one response' },
});
