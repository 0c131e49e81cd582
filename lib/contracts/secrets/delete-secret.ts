import * as z from 'zod';
import { contract } from '../contract.ts';
import { writers } from '../fields/role.ts';
import { Success } from '../fields/success.ts';
import { Message } from '../fields/text.ts';
import { changeUses } from './change-uses.ts';
import { orDryRun, writeQuery } from './dry-run.ts';
import { IfMatchHeader } from './if-match.ts';
import { Revision } from './revision.ts';

export const deleteSecret = contract({
  operationId: 'delete-secret',
  route: 'DELETE /v1/secrets/{orgSlug}/{project}/{env}/{key}',
  summary: 'Soft-delete a secret',
  description:
    'Removes the secret from pulls and lists. Its history stays and gets an entry for the deletion. Setting the key again ' +
    'continues its version numbers. For owners, admins and developers.',
  access: { kind: 'member', roles: writers, tokens: 'write', narrowestToken: 'environment', environmentRule: 'write' },
  query: z.strictObject({ ...writeQuery, message: Message.optional() }),
  headers: IfMatchHeader,
  responses: {
    200: {
      description: 'The secret is deleted.',
      body: orDryRun(z.object({ success: Success.shape.success, revision: Revision })),
      example: { revision: 21 },
    },
  },
  errors: ['revision_mismatch'],
  uses: changeUses,
});
