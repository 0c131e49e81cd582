import * as z from 'zod';
import { contract, ok } from '../contract.ts';
import { ChangesBody } from '../fields/changes-body.ts';
import { ambiguity } from '../fields/dotenv-text.ts';
import { keyNames, writesSecrets } from './secret.ts';
import { changeUses, DryRun, IfMatchHeader, ImportResult, orDryRun, writeQuery } from './write.ts';

export const applyChanges = contract({
  operationId: 'apply-changes',
  route: 'POST /v1/secrets/{orgSlug}/{project}/{env}/changes',
  summary: 'Set and delete secrets in one change',
  description:
    'Sets and deletes up to 1,000 secrets in one revision, all or nothing. A key may appear only once. Deleting ' +
    'a key that doesn’t exist returns `404 secret_not_found`. Some keys need read access, as for setting one ' +
    'secret. Owners, admins and developers only; deleting more than one secret is limited to owners and admins.',
  access: writesSecrets,
  query: z.strictObject(writeQuery),
  headers: IfMatchHeader,
  body: ChangesBody,
  bodyHolds: 'secrets',
  bodyExample: {
    set: [{ key: 'DATABASE_HOST', value: 'db.internal.example' }],
    delete: ['LOG_LEVEL'],
    message: 'Move to the new database',
  },
  responses: ok({
    description: 'The result of the change.',
    body: orDryRun(
      ImportResult.extend({ deleted: keyNames('Keys that were deleted.'), ...ambiguity }),
      DryRun.extend(ambiguity),
    ),
    example: { created: [], unchanged: [], deleted: ['LOG_LEVEL'], revision: 20 },
  }),
  errors: ['secret_not_found', 'plan_limit_exceeded', 'revision_mismatch', 'version_mismatch'],
  uses: changeUses,
  sizing: { memoryMb: 1024, reason: 'a thousand values are encrypted and written in several steps' },
});
