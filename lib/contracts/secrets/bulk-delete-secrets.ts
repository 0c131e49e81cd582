import * as z from 'zod';
import { contract, ok } from '../contract.ts';
import { managers } from '../fields/role.ts';
import { Message } from '../fields/text.ts';
import { keyNames, Revision } from './secret.ts';
import { changeUses, IfMatchHeader, KeyList, orDryRun, writeQuery } from './write.ts';

export const bulkDeleteSecrets = contract({
  operationId: 'bulk-delete-secrets',
  route: 'POST /v1/secrets/{orgSlug}/{project}/{env}/bulk-delete',
  summary: 'Delete secrets in bulk',
  description:
    'Soft-deletes up to 1,000 secrets in one change. Their histories are kept. Keys that don’t exist are ' +
    'reported and otherwise ignored. Owners and admins only.',
  access: { kind: 'member', roles: managers, tokens: 'write', narrowestToken: 'environment', environmentRule: 'write' },
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
  errors: ['revision_mismatch'],
  uses: changeUses,
});
