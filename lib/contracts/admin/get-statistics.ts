import * as z from 'zod';
import { contract, ok } from '../contract.ts';

export const getStatistics = contract({
  operationId: 'get-statistics',
  route: 'GET /v1/admin/stats',
  summary: 'Get platform statistics',
  description: 'Returns the number of users, organizations and projects on the platform.',
  access: { kind: 'admin' },
  responses: ok({
    description: 'The counts.',
    body: z.object({
      users: z.int().meta({ description: 'Users.', example: 1204 }),
      organizations: z.int().meta({ description: 'Organizations.', example: 1310 }),
      projects: z.int().meta({ description: 'Projects.', example: 2877 }),
    }),
  }),
  uses: { table: ['Query'], reads: ['PLATFORM'] },
});
