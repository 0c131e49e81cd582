import * as z from 'zod';
import { contract, ok } from '../contract.ts';
import { ambiguity } from '../fields/dotenv-text.ts';
import { ImportBody } from '../fields/import-body.ts';
import { changeUses, DryRun, IfMatchHeader, ImportResult, orDryRun, writeQuery } from './changes.ts';
import { writesSecrets } from './secrets.ts';

export const importSecrets = contract({
  operationId: 'import-secrets',
  route: 'POST /v1/secrets/{orgSlug}/{project}/{env}/bulk',
  summary: 'Import secrets in bulk',
  description:
    'Sets up to 1,000 secrets, given as a list, an object or dotenv text, in one change with one event and one ' +
    'revision, all or nothing. Other secrets stay as they are. Some keys need read access, as for setting one ' +
    'secret. Owners, admins and developers only.',
  access: writesSecrets,
  query: z.strictObject(writeQuery),
  headers: IfMatchHeader,
  body: ImportBody,
  bodyHolds: 'secrets',
  bodyExample: {
    secrets: [
      { key: 'DATABASE_HOST', value: 'db.internal.example' },
      { key: 'LOG_LEVEL', value: 'info' },
    ],
  },
  responses: ok({
    description: 'The result of the import.',
    body: orDryRun(ImportResult.extend(ambiguity), DryRun.extend(ambiguity)),
    example: { created: ['LOG_LEVEL'], unchanged: [], revision: 19 },
  }),
  errors: ['plan_limit_exceeded', 'revision_mismatch'],
  uses: changeUses,
  sizing: { memoryMb: 1024, reason: 'a thousand values are encrypted and written in several steps' },
});
