import * as z from 'zod';
import { contract } from '../contract.ts';
import { integerQuery, revisionQuery } from '../fields/query.ts';
import { roles } from '../fields/role.ts';
import { SecretRevision } from './secret-revision.ts';

export const listRevisions = contract({
  operationId: 'list-revisions',
  route: 'GET /v1/secrets/{orgSlug}/{project}/{env}/revisions',
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
      example: { revisions: [{ action: 'secret.updated', message: null, createdBy: {}, created: [], deleted: [] }] },
    },
  },
  uses: { table: ['GetItem', 'Query'], reads: ['ENV'] },
});
