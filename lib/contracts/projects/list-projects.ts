import * as z from 'zod';
import { contract, ok } from '../contract.ts';
import { roles } from '../fields/role.ts';
import { Project, projectExample } from './project.ts';

export const listProjects = contract({
  operationId: 'list-projects',
  route: 'GET /v1/projects/{orgId}',
  summary: 'List the projects of an organization',
  description: 'Lists the projects with their environments. A token limited to a project sees only that project.',
  access: { kind: 'member', roles, tokens: 'read', narrowestToken: 'environment' },
  responses: ok({
    description: 'The projects, by slug.',
    body: z.object({ projects: z.array(Project).meta({ description: 'The projects, by slug.' }) }),
    example: { projects: [projectExample] },
  }),
  uses: { table: ['Query'], reads: ['ENV'] },
});
