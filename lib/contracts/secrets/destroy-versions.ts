import * as z from 'zod';
import { contract } from '../contract.ts';
import { DestroyBody } from '../fields/destroy-body.ts';
import { managers } from '../fields/role.ts';
import { Revision } from './revision.ts';

export const destroyVersions = contract({
  operationId: 'destroy-versions',
  route: 'POST /v1/secrets/{orgSlug}/{project}/{env}/versions/{key}/destroy',
  summary: 'Destroy old values of a key',
  description:
    'Takes the values of these versions out of the table for good, for a value that must not be there any more. The history ' +
    'keeps the versions, marked as destroyed, and the revision stays. The current version can’t be destroyed. What has no ' +
    'value any more is left out of `destroyed`. Reading or restoring a moment that needs a destroyed value is ' +
    '`409 version_destroyed`. For owners and admins; a token needs `full` access.',
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
  responses: {
    200: {
      description: 'The values are destroyed.',
      body: z.object({
        destroyed: z.array(z.int()).meta({ description: 'The versions whose values were destroyed.' }),
        revision: Revision,
      }),
      example: { destroyed: [1], revision: 22 },
    },
  },
  errors: ['secret_not_found'],
  uses: { table: ['GetItem', 'Query'], reads: ['ENV'], writes: ['ENV', 'AUDIT'] },
});
