import * as z from 'zod';
import { contract } from '../contract.ts';
import { managers } from '../fields/role.ts';
import { Message } from '../fields/text.ts';
import { changeUses } from './change-uses.ts';
import { orDryRun, writeQuery } from './dry-run.ts';
import { IfMatchHeader } from './if-match.ts';
import { KeyList } from './key-list.ts';
import { keyNames } from './key-names.ts';
import { Revision } from './revision.ts';

export const restoreSecrets = contract({
  operationId: 'restore-secrets',
  route: 'POST /v1/secrets/{orgSlug}/{project}/{env}/restore',
  summary: 'Restore an earlier revision',
  description:
    'Makes the environment, or those keys of it that are named, what it was at an earlier revision, as one change: a new ' +
    'revision, never a rewind. A key that is neither there now nor was then is ignored. For owners and admins.',
  access: { kind: 'member', roles: managers, tokens: 'write', narrowestToken: 'environment', environmentRule: 'write' },
  query: z.strictObject(writeQuery),
  headers: IfMatchHeader,
  body: z.strictObject({
    revision: z.int().meta({ description: 'The revision to restore; 0 is empty.', example: 12 }),
    keys: KeyList.optional().meta({
      description: 'The keys to restore. Without it, all of them.',
      example: ['DATABASE_HOST'],
    }),
    message: Message.optional(),
  }),
  bodyExample: { revision: 2, keys: ['LOG_LEVEL'], message: 'Undo the release' },
  responses: {
    200: {
      description: 'The result of the restoration.',
      body: orDryRun(
        z.object({
          created: keyNames('Keys that are there again.'),
          updated: keyNames('Keys that have their earlier value again.'),
          deleted: keyNames('Keys that were deleted, because they were not there.'),
          unchanged: keyNames('Keys that already had the value.'),
          restored: Revision.meta({ description: 'The revision that was restored.' }),
          revision: Revision,
        }),
      ),
      example: { created: [], deleted: [], unchanged: [], restored: 12, revision: 22 },
    },
  },
  errors: ['revision_not_found', 'version_destroyed', 'plan_limit_exceeded', 'revision_mismatch'],
  uses: changeUses,
  sizing: { memoryMb: 1024, reason: 'a whole environment is re-encrypted and written in several steps' },
});
