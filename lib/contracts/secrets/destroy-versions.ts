import * as z from 'zod';
import { contract, ok } from '../contract.ts';
import { managers } from '../fields/role.ts';
import { Revision } from './secret.ts';

const maximumVersions = 1000;

const VersionNumber = z
  .int()
  .min(1, { message: 'must be 1 or more' })
  .max(9_999_999_999, { message: 'must be a version' });

/** Which versions of a key to destroy. */
export const DestroyBody = z
  .strictObject({
    versions: z
      .array(VersionNumber)
      .min(1, { message: 'must have at least one item' })
      .max(maximumVersions, { message: `must have at most ${maximumVersions} items` })
      .optional()
      .meta({ description: 'These versions.', example: [1, 2] }),
    before: VersionNumber.optional().meta({ description: 'All versions before this one.', example: 3 }),
  })
  .superRefine(({ versions, before }, context) => {
    if ((versions === undefined) === (before === undefined)) {
      context.addIssue({ code: 'custom', message: 'must have either versions or before' });
    }
  });
export type DestroyBody = z.infer<typeof DestroyBody>;

export const destroyVersions = contract({
  operationId: 'destroy-versions',
  route: 'POST /v1/secrets/{orgSlug}/{project}/{env}/versions/{key}/destroy',
  summary: 'Destroy old values of a key',
  description:
    'Permanently removes the values of these versions from the table, for values that must no longer be stored. ' +
    'The history keeps the versions, marked as destroyed, and the revision doesn’t change. The current version ' +
    'can’t be destroyed. Versions that no longer have a value are left out of `destroyed`. Reading or restoring ' +
    'a point in time that needs a destroyed value returns `409 version_destroyed`. Owners and admins only; a ' +
    'token needs `full` access.',
  access: {
    kind: 'member',
    roles: managers,
    tokens: 'full',
    narrowestToken: 'environment',
    environmentRule: 'write',
    fresh: 'always',
  },
  body: DestroyBody,
  bodyExample: { versions: [1] },
  responses: ok({
    description: 'The values were destroyed.',
    body: z.object({
      destroyed: z.array(z.int()).meta({ description: 'The versions whose values were destroyed.' }),
      revision: Revision,
    }),
    example: { destroyed: [1], revision: 22 },
  }),
  errors: ['secret_not_found'],
  uses: { table: ['GetItem', 'Query'], reads: ['ENV'], writes: ['ENV', 'AUDIT'] },
});
