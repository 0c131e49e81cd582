import * as z from 'zod';
import { contract, ok } from '../contract.ts';
import { flagQuery } from '../fields/query.ts';
import { roles, writers } from '../fields/role.ts';
import { Message, Slug } from '../fields/text.ts';
import { changeUses, changing, IfMatchHeader, KeyList, orDryRun, referenceErrors, writeQuery } from './changes.ts';
import { keyNames, mayNeedValues, Revision, SecretSummary } from './secrets.ts';

const ComparedKey = z.object({ key: SecretSummary.shape.key });

const sideValue = (side: string) =>
  z
    .string()
    .optional()
    .meta({ description: `The value in \`${side}\`; only with \`values=true\`.`, example: 'db.internal.example' });

const OnlyFrom = ComparedKey.extend({ from: sideValue('from') });

const OnlyTo = ComparedKey.extend({ to: sideValue('to') });

const Different = ComparedKey.extend({ from: sideValue('from'), to: sideValue('to') });

const ComparedSide = z.object({ slug: Slug.meta({ description: 'Its slug.', example: 'dev' }), revision: Revision });

export const compareEnvironments = contract({
  operationId: 'compare-environments',
  route: 'GET /v1/secrets/{orgSlug}/{project}/{env}/compare',
  summary: 'Compare two environments',
  description:
    'Compares two environments of the project, each at one revision: which secrets exist in only one of them, and ' +
    'which have different or equal values. `from` is the environment in the path. Values are included only with ' +
    '`values=true`. Requires read access to both. Every comparison is audited, with an entry for each environment. For ' +
    'a token for names only, `different` and `same` are empty.',
  access: {
    kind: 'member',
    roles,
    tokens: 'read',
    narrowestToken: 'environment',
    environmentRule: 'read',
    granted: true,
    ...mayNeedValues,
  },
  query: z.strictObject({
    with: Slug.meta({ description: 'Slug of the other environment.', example: 'staging' }),
    values: flagQuery('Whether to return the values.').default(false),
  }),
  responses: ok({
    description: 'The comparison. Each list is in key order.',
    body: z.object({
      from: ComparedSide.describe('The environment in the path.'),
      to: ComparedSide.describe('The environment it was compared with.'),
      onlyFrom: z.array(OnlyFrom).describe('Secrets that exist only in `from`.'),
      onlyTo: z.array(OnlyTo).describe('Secrets that exist only in `to`.'),
      different: z.array(Different).describe('Secrets with different values.'),
      same: keyNames('Keys with the same value in both environments.'),
    }),
    example: { to: { slug: 'staging', revision: 6 }, onlyFrom: [{ key: 'LOG_LEVEL' }], onlyTo: [], same: ['REGION'] },
  }),
  errors: ['payload_too_large'],
  uses: {
    table: { GetItem: ['ENV', 'ORG'], BatchGetItem: ['ENV'], Query: ['ENV'], PutItem: ['AUDIT'] },
    key: { project: ['Decrypt'] },
  },
  sizing: { memoryMb: 1024, reason: 'up to 8 MiB of values of two environments are decrypted' },
});

export const promoteSecrets = contract({
  operationId: 'promote-secrets',
  route: 'POST /v1/secrets/{orgSlug}/{project}/promote',
  summary: 'Promote secrets between environments',
  description:
    'Copies all secrets, or the given keys, from one environment of the project to another in one change, all or ' +
    'nothing. Secrets that exist only in the target stay as they are. A value that names other keys is copied with the ' +
    'names, which are then those of the target. Requires read access to the source and write ' +
    'access to the target. Some keys also require read access to the target, as for setting one secret. A limited ' +
    'token must cover both environments. `If-Match` refers to the target. If there is too much to copy in one change, ' +
    'some 4,000 keys, the error says how many fit; then name the keys.',
  access: {
    kind: 'member',
    roles: writers,
    tokens: 'write',
    narrowestToken: 'environment',
    environmentRule: 'write',
    ...changing,
    granted: true,
  },
  query: z.strictObject(writeQuery),
  headers: IfMatchHeader,
  body: z
    .strictObject({
      from: Slug.meta({ description: 'Slug of the source environment.', example: 'dev' }),
      to: Slug.meta({ description: 'Slug of the target environment.', example: 'staging' }),
      keys: KeyList.optional().meta({ description: 'Keys to promote. Defaults to all.', example: ['DATABASE_HOST'] }),
      overwrite: z.boolean().default(true).describe('Whether to overwrite existing values in the target.'),
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
        revision: Revision.describe('The target’s revision.'),
      }),
    ),
    example: { promoted: ['LOG_LEVEL'], unchanged: [], revision: 6 },
  }),
  errors: [
    'environment_not_found',
    'secret_not_found',
    'plan_limit_exceeded',
    'approval_required',
    'revision_mismatch',
    ...referenceErrors,
  ],
  uses: {
    ...changeUses,
    table: { ...changeUses.table, GetItem: [...changeUses.table.GetItem, 'ORG'], ConditionCheckItem: ['ENV'] },
  },
  sizing: { memoryMb: 1024, reason: 'a whole environment is re-encrypted and written in several steps' },
});
