import * as z from 'zod';
import { contract } from '../contract.ts';
import { integerQuery, revisionQuery } from '../fields/query.ts';
import { roles } from '../fields/role.ts';
import { SecretRevision } from './secret-revision.ts';

export const listRevisions = contract({
  operationId: 'list-revisions',
  route: 'GET /v1/secrets/{orgSlug}/{project}/{env}/revisions',
  summary: 'List the changes of an environment',
  description:
    'Returns the changes of an environment, newest first, with the names of the keys that each one created, ' +
    'updated and deleted, but never a value. A page may have fewer than `limit` entries if more names would not ' +
    'fit in a response. Requires read access to the environment.',
  access: { kind: 'member', roles, tokens: 'read', narrowestToken: 'environment', environmentRule: 'read' },
  query: z.strictObject({
    limit: integerQuery(1, 100, 'Revisions per page.').default(20),
    before: revisionQuery('Only revisions before this one: `next` of the previous page.').optional(),
  }),
  responses: {
    200: {
      description: 'The revisions.',
      body: z.object({
        revisions: z.array(SecretRevision).meta({ description: 'The revisions, newest first.' }),
        next: z
          .int()
          .nullable()
          .meta({ description: 'Pass it as `before` to get the next page; null on the last page.', example: 17 }),
      }),
      example: { revisions: [{ action: 'secret.updated', message: null, createdBy: {}, created: [], deleted: [] }] },
    },
  },
  uses: { table: ['GetItem', 'Query'], reads: ['ENV'] },
});
