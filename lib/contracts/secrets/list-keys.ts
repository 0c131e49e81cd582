import * as z from 'zod';
import { contract } from '../contract.ts';
import { Pagination } from '../fields/query.ts';
import { entityTag, IfNoneMatchHeader, listQuery, notModified } from './read.ts';
import { Revision, readsSecrets, SecretSummary } from './secret.ts';

export const listKeys = contract({
  operationId: 'list-keys',
  route: 'GET /v1/secrets/{orgSlug}/{project}/{env}/keys',
  summary: 'List keys without values',
  description:
    'Like a pull, but without values: nothing is decrypted and no audit entry is written. Requires read access ' +
    'to the environment.',
  access: readsSecrets,
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
      example: { pagination: { limit: 50, offset: 0, total: 1 } },
      headers: entityTag,
    },
    304: notModified,
  },
  errors: ['revision_not_found', 'payload_too_large'],
  uses: { table: ['GetItem', 'Query'], reads: ['ENV'] },
});
