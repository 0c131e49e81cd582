import * as z from 'zod';
import { contract, ok } from '../contract.ts';
import { roles } from '../fields/role.ts';
import { Project, projectExample } from './project.ts';

export const getProject = contract({
  operationId: 'get-project',
  route: 'GET /v1/projects/{orgId}/{slug}',
  summary: 'Get a project',
  description:
    'Returns the project with its environments and the state of its key rotation. A limited token sees only the ' +
    'environments in its scope.',
  access: { kind: 'member', roles, tokens: 'read', narrowestToken: 'environment' },
  responses: ok({
    description: 'The project.',
    body: z.object({ project: Project }),
    example: { project: projectExample },
  }),
  uses: { table: ['GetItem', 'Query'], reads: ['ENV'] },
});
