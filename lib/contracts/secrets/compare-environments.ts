import * as z from 'zod';
import { contract, ok } from '../contract.ts';
import { flagQuery } from '../fields/query.ts';
import { roles } from '../fields/role.ts';
import { Slug } from '../fields/text.ts';
import { keyNames, Revision, SecretSummary } from './secret.ts';

const ComparedKey = z.object({ key: SecretSummary.shape.key });

const sideValue = (side: string) =>
  z
    .string()
    .optional()
    .meta({ description: `The value in \`${side}\`; only with \`values=true\`.`, example: 'db.internal.example' });

const OnlyFrom = ComparedKey.extend({ from: sideValue('from') });

const OnlyTo = ComparedKey.extend({ to: sideValue('to') });

const Different = ComparedKey.extend({ from: sideValue('from'), to: sideValue('to') });

const ComparedSide = z.object({
  slug: Slug.meta({ description: 'Slug of the environment.', example: 'dev' }),
  revision: Revision,
});

export const compareEnvironments = contract({
  operationId: 'compare-environments',
  route: 'GET /v1/secrets/{orgSlug}/{project}/{env}/compare',
  summary: 'Compare two environments',
  description:
    'Compares two environments of the project, each at one revision: which secrets exist in only one of them, ' +
    'and which have different or equal values. `from` is the environment in the path. Values are included only ' +
    'with `values=true`. Requires read access to both. Every comparison is audited, with an entry for each ' +
    'environment.',
  access: { kind: 'member', roles, tokens: 'read', narrowestToken: 'environment', environmentRule: 'read' },
  query: z.strictObject({
    with: Slug.meta({ description: 'Slug of the other environment.', example: 'staging' }),
    values: flagQuery('Whether to return the values.').default(false),
  }),
  responses: ok({
    description: 'The comparison. Each list is in key order.',
    body: z.object({
      from: ComparedSide.meta({ description: 'The environment in the path.' }),
      to: ComparedSide.meta({ description: 'The environment it was compared with.' }),
      onlyFrom: z.array(OnlyFrom).meta({ description: 'Secrets that exist only in `from`.' }),
      onlyTo: z.array(OnlyTo).meta({ description: 'Secrets that exist only in `to`.' }),
      different: z.array(Different).meta({ description: 'Secrets with different values.' }),
      same: keyNames('Keys with the same value in both environments.'),
    }),
    example: { to: { slug: 'staging', revision: 6 }, onlyFrom: [{ key: 'LOG_LEVEL' }], onlyTo: [], same: ['REGION'] },
  }),
  errors: ['payload_too_large'],
  uses: { table: ['GetItem', 'Query'], reads: ['ENV'], writes: ['AUDIT'], key: { project: ['Decrypt'] } },
  sizing: { memoryMb: 1024, reason: 'up to 8 MiB of values of two environments are decrypted' },
});
