import * as z from 'zod';
import { contract, ok } from '../contract.ts';
import { managers } from '../fields/role.ts';
import { Message } from '../fields/text.ts';
import { keyNames, Revision } from './secret.ts';
import { changeUses, IfMatchHeader, KeyList, orDryRun, writeQuery } from './write.ts';

export const restoreSecrets = contract({
  operationId: 'restore-secrets',
  route: 'POST /v1/secrets/{orgSlug}/{project}/{env}/restore',
  summary: 'Restore an earlier revision',
  description:
    'Restores the environment, or the given keys, to an earlier revision in one change. This creates a new ' +
    'revision; the history is never rewound. A key that exists neither now nor at the earlier revision is ' +
    'ignored. Owners and admins only.',
  access: { kind: 'member', roles: managers, tokens: 'write', narrowestToken: 'environment', environmentRule: 'write' },
  query: z.strictObject(writeQuery),
  headers: IfMatchHeader,
  body: z.strictObject({
    revision: z.int().meta({ description: 'The revision to restore; 0 is empty.', example: 12 }),
    keys: KeyList.optional().meta({
      description: 'The keys to restore. Defaults to all keys.',
      example: ['DATABASE_HOST'],
    }),
    message: Message.optional(),
  }),
  bodyHolds: 'keys',
  bodyExample: { revision: 2, keys: ['LOG_LEVEL'], message: 'Undo the release' },
  responses: ok({
    description: 'The result of the restore.',
    body: orDryRun(
      z.object({
        created: keyNames('Keys that were created again.'),
        updated: keyNames('Keys that were set back to their earlier value.'),
        deleted: keyNames('Keys that were deleted because they didn’t exist at the earlier revision.'),
        unchanged: keyNames('Keys that already had the value.'),
        restored: Revision.meta({ description: 'The revision that was restored.' }),
        revision: Revision,
      }),
    ),
    example: { created: [], deleted: [], unchanged: [], restored: 12, revision: 22 },
  }),
  errors: ['revision_not_found', 'version_destroyed', 'plan_limit_exceeded', 'revision_mismatch'],
  uses: changeUses,
  sizing: { memoryMb: 1024, reason: 'a whole environment is re-encrypted and written in several steps' },
});
