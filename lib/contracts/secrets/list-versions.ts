import * as z from 'zod';
import { contract } from '../contract.ts';
import { optionalPage, Pagination } from '../fields/pagination.ts';
import { flagQuery } from '../fields/query.ts';
import { roles } from '../fields/role.ts';
import { SecretSummary } from './secret-summary.ts';
import { SecretVersion } from './secret-version.ts';

export const listVersions = contract({
  operationId: 'list-versions',
  route: 'GET /v1/secrets/{orgSlug}/{project}/{env}/versions/{key}',
  summary: 'Get the version history of a key',
  description:
    'Returns the history of a key, newest first, even if the key was deleted. A deletion is an entry of its ' +
    'own. Values are included only with `values=true`, which is audited and requires no more than read access ' +
    'to the environment. If the values of the whole history are too large for one response, use `limit`.',
  access: { kind: 'member', roles, tokens: 'read', narrowestToken: 'environment', environmentRule: 'read' },
  query: z.strictObject({ values: flagQuery('Whether to return the values.').default(false), ...optionalPage }),
  responses: {
    200: {
      description: 'The history.',
      body: z.object({
        key: SecretSummary.shape.key,
        versions: z.array(SecretVersion).meta({ description: 'The versions, newest first.' }),
        pagination: Pagination.optional().meta({ description: 'Only if `limit` was given.' }),
      }),
      example: {
        versions: [
          { version: 2, revision: 18, deleted: true },
          { version: 1, revision: 4 },
        ],
      },
    },
  },
  errors: ['payload_too_large'],
  uses: { table: ['GetItem', 'Query'], reads: ['ENV'], writes: ['AUDIT'], key: { project: ['Decrypt'] } },
  sizing: { memoryMb: 1024, reason: 'up to 4 MiB of values are decrypted and encoded in one response' },
});
