import * as z from 'zod';
import { contract, ok } from '../contract.ts';
import { AuditAction } from '../fields/audit-action.ts';
import { integerQuery, revisionQuery } from '../fields/query.ts';
import { Slug, Timestamp, UserReference } from '../fields/text.ts';
import { keyNames, Revision, readsSecrets } from './secret.ts';

export const SecretRevision = z
  .object({
    revision: Revision,
    action: AuditAction.nullable().meta({
      description: 'The action of its audit entry; null for a change made before revisions were recorded.',
      example: 'secret.bulk_set',
    }),
    message: z
      .string()
      .nullable()
      .meta({ description: 'The author’s reason for the change.', example: 'Rotate the key' }),
    createdAt: Timestamp.meta({ description: 'When the change was made.' }),
    createdBy: UserReference.nullable().meta({ description: 'Who made it; null for a repair by an operator.' }),
    created: keyNames('Keys that were created.'),
    updated: keyNames('Keys that got a new value.'),
    deleted: keyNames('Keys that were deleted.'),
    from: z
      .object({ slug: Slug.meta({ description: 'Slug of the environment.', example: 'dev' }), revision: Revision })
      .optional()
      .meta({ description: 'The environment and revision that a promotion copied from.' }),
    restored: z.int().optional().meta({ description: 'The revision that was restored.', example: 12 }),
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
  access: readsSecrets,
  query: z.strictObject({
    limit: integerQuery(1, 100, 'Revisions per page.').default(20),
    before: revisionQuery('Only revisions before this one: `next` of the previous page.').optional(),
  }),
  responses: ok({
    description: 'The revisions.',
    body: z.object({
      revisions: z.array(SecretRevision).meta({ description: 'The revisions, newest first.' }),
      next: z
        .int()
        .nullable()
        .meta({ description: 'Pass it as `before` to get the next page; null on the last page.', example: 17 }),
    }),
    example: { revisions: [{ action: 'secret.updated', message: null, createdBy: {}, created: [], deleted: [] }] },
  }),
  uses: { table: ['GetItem', 'Query'], reads: ['ENV'] },
});
