import * as z from 'zod';
import { contract, ok } from '../contract.ts';
import { Success } from '../fields/bodies.ts';
import { Message } from '../fields/text.ts';
import { Revision, writesSecrets } from './secret.ts';
import { changeUses, IfMatchHeader, orDryRun, writeQuery } from './write.ts';

export const deleteSecret = contract({
  operationId: 'delete-secret',
  route: 'DELETE /v1/secrets/{orgSlug}/{project}/{env}/{key}',
  summary: 'Soft-delete a secret',
  description:
    'Removes the secret from pulls and lists. Its history is kept, with an entry for the deletion. If the key ' +
    'is set again, its version numbers continue. Owners, admins and developers only.',
  access: writesSecrets,
  query: z.strictObject({ ...writeQuery, message: Message.optional() }),
  headers: IfMatchHeader,
  responses: ok({
    description: 'The secret was deleted.',
    body: orDryRun(z.object({ success: Success.shape.success, revision: Revision })),
    example: { revision: 21 },
  }),
  errors: ['revision_mismatch'],
  uses: changeUses,
});
