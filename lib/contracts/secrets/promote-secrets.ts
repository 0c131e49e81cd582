import * as z from 'zod';
import { contract, ok } from '../contract.ts';
import { writers } from '../fields/role.ts';
import { Message, Slug } from '../fields/text.ts';
import { keyNames, Revision } from './secret.ts';
import { changeUses, IfMatchHeader, KeyList, orDryRun, writeQuery } from './write.ts';

export const promoteSecrets = contract({
  operationId: 'promote-secrets',
  route: 'POST /v1/secrets/{orgSlug}/{project}/promote',
  summary: 'Promote secrets between environments',
  description:
    'Copies all secrets, or the given keys, from one environment of the project to another in one change, all ' +
    'or nothing. Secrets that exist only in the target stay as they are. Requires read access to the source and ' +
    'write access to the target, and for some keys read access to it, as for setting one secret. A limited token must ' +
    'cover both environments. `If-Match` refers to the target.',
  access: { kind: 'member', roles: writers, tokens: 'write', narrowestToken: 'environment', environmentRule: 'write' },
  query: z.strictObject(writeQuery),
  headers: IfMatchHeader,
  body: z
    .strictObject({
      from: Slug.meta({ description: 'Slug of the source environment.', example: 'dev' }),
      to: Slug.meta({ description: 'Slug of the target environment.', example: 'staging' }),
      keys: KeyList.optional().meta({
        description: 'The keys to promote. Defaults to all keys of the source.',
        example: ['DATABASE_HOST'],
      }),
      overwrite: z.boolean().default(true).meta({ description: 'Whether to overwrite existing values in the target.' }),
      message: Message.optional(),
    })
    .refine(body => body.from === undefined || body.from !== body.to, {
      path: ['to'],
      message: 'must be a different environment from the source',
      when: ({ value }) => typeof value === 'object' && value !== null,
    }),
  bodyHolds: 'keys',
  bodyExample: { from: 'dev', to: 'staging', keys: ['DATABASE_HOST', 'LOG_LEVEL'], overwrite: false },
  responses: ok({
    description: 'The result of the promotion.',
    body: orDryRun(
      z.object({
        promoted: keyNames('Keys whose values were copied.'),
        skipped: keyNames('Keys that already existed in the target, if `overwrite` is false.'),
        unchanged: keyNames('Keys that already had the same value.'),
        revision: Revision.meta({ description: 'The target’s revision.' }),
      }),
    ),
    example: { promoted: ['LOG_LEVEL'], unchanged: [], revision: 6 },
  }),
  errors: ['environment_not_found', 'secret_not_found', 'plan_limit_exceeded', 'revision_mismatch'],
  uses: { ...changeUses, table: [...changeUses.table, 'ConditionCheckItem'] },
  sizing: { memoryMb: 1024, reason: 'a whole environment is re-encrypted and written in several steps' },
});
