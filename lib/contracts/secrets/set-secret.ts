import * as z from 'zod';
import { contract } from '../contract.ts';
import { ExpectedVersion } from '../fields/preconditions.ts';
import { Message, SecretKey, SecretValue } from '../fields/text.ts';
import { Revision, SecretSummary, writesSecrets } from './secret.ts';
import { changeUses, IfMatchHeader, orDryRun, writeQuery } from './write.ts';

const SetResult = z.object({
  secret: SecretSummary.meta({ description: 'The secret after the change, without its value.' }),
  changed: z
    .boolean()
    .meta({ description: 'False if the secret already had this value. No version or event is created then.' }),
  revision: Revision,
});

export const setSecret = contract({
  operationId: 'set-secret',
  route: 'PUT /v1/secrets/{orgSlug}/{project}/{env}',
  summary: 'Set one secret',
  description:
    'Creates the secret or its next version, and increases the environment’s revision by one. Setting the same ' +
    'value again changes nothing, so a retry is harmless. (If the caller can’t read the environment, it does ' +
    'create a version, so that values can’t be guessed.) `If-Match` checks the environment’s revision, ' +
    '`expectedVersion` the key’s version. A key such as `LD_PRELOAD`, which can control which code runs or whom it ' +
    'trusts, can only be set by callers who can read the environment. Owners, admins and developers only.',
  access: writesSecrets,
  query: z.strictObject(writeQuery),
  headers: IfMatchHeader,
  body: z.strictObject({
    key: SecretKey.meta({ description: 'The secret’s key.', example: 'DATABASE_HOST' }),
    value: SecretValue.meta({
      description: 'Any well-formed Unicode text of 0 to 64 KiB in UTF-8. It is returned byte for byte.',
      example: 'db.internal.example',
    }),
    expectedVersion: ExpectedVersion.optional(),
    message: Message.optional(),
  }),
  bodyHolds: 'secrets',
  bodyExample: { key: 'DATABASE_HOST', value: 'db.internal.example' },
  responses: {
    200: {
      description: 'The secret already existed, or it was a dry run.',
      body: orDryRun(SetResult),
      example: { changed: true, revision: 18 },
    },
    201: {
      description: 'The secret is new.',
      body: SetResult,
      example: { secret: { version: 1 }, changed: true, revision: 18 },
    },
  },
  errors: ['plan_limit_exceeded', 'revision_mismatch', 'version_mismatch'],
  uses: changeUses,
});
