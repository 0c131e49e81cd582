import * as z from 'zod';
import { contract, ok, succeeds } from '../contract.ts';
import { Slug, Timestamp, UserReference, Uuid } from '../fields/text.ts';

export const Deleted = z
  .object({
    id: Uuid.meta({ description: 'Its identifier.', example: '7d5a3b1c-9e2f-4d60-b8a1-4c6e0f9d2a73' }),
    type: z.enum(['project', 'environment']).meta({ description: 'What it is.', example: 'project' }),
    slug: Slug.meta({ description: 'Its slug, which stays taken.', example: 'web-shop' }),
    name: z.string().meta({ description: 'Display name.', example: 'Web shop' }),
    project: Slug.nullable().meta({ description: 'The slug of an environment’s project; else null.', example: null }),
    deletedBy: UserReference.describe('Who deleted it.'),
    deletedAt: Timestamp.describe('When it was deleted.'),
    erasedAt: Timestamp.describe('Until when it can be restored.'),
  })
  .meta({ id: 'Deleted', description: 'A deleted project or environment that can still be restored.' });
export type Deleted = z.infer<typeof Deleted>;

const owners = { kind: 'member', roles: ['owner'], narrowestToken: 'organization' } as const;

export const listDeleted = contract({
  operationId: 'list-deleted',
  route: 'GET /v1/deleted/{orgId}',
  summary: 'List what can be restored',
  description:
    'Lists the projects and environments that were deleted with `keepDays` and can still be restored, the latest ' +
    'deletion first.',
  access: { ...owners, tokens: 'read' },
  responses: ok({
    description: 'What can be restored.',
    body: z.object({ deleted: z.array(Deleted).describe('What can be restored, the latest deletion first.') }),
  }),
  uses: { table: { GetItem: ['ORGID'], Query: ['ORG'] } },
});

export const restoreDeleted = contract({
  operationId: 'restore-deleted',
  route: 'POST /v1/deleted/{orgId}/{id}/restore',
  summary: 'Restore a project or environment',
  description:
    'Undoes a deletion. Everything is as it was: secrets, history, revisions, webhooks and identities. The project of ' +
    'a deleted environment has to be restored first. Fails with `deleted_not_found` after the time in `erasedAt`.',
  access: { ...owners, tokens: 'full', fresh: 'always' },
  notFound: { id: 'deleted_not_found' },
  responses: succeeds('It was restored.'),
  errors: ['project_not_found'],
  uses: {
    table: {
      GetItem: ['ORGID'],
      Query: ['ORG'],
      ConditionCheckItem: ['ORG'],
      PutItem: ['AUDIT', 'ORG', 'UNFINISHED'],
      UpdateItem: ['ENV', 'ORG'],
      DeleteItem: ['UNFINISHED'],
    },
    queues: ['jobs'],
  },
});

export const eraseDeleted = contract({
  operationId: 'erase-deleted',
  route: 'DELETE /v1/deleted/{orgId}/{id}',
  summary: 'Erase a deleted project or environment',
  description:
    'Erases it before its time: from then on it can’t be restored. The data key of a project is destroyed at once, and ' +
    'the stored data is erased in the background. Then the slug is free.',
  access: { ...owners, tokens: 'full', fresh: 'always' },
  notFound: { id: 'deleted_not_found' },
  responses: succeeds('It is being erased.'),
  uses: {
    table: { GetItem: ['ORGID'], Query: ['ORG'], PutItem: ['AUDIT', 'UNFINISHED'], UpdateItem: ['ORG', 'PLATFORM'] },
    queues: ['jobs'],
  },
});
