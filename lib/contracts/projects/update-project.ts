import * as z from 'zod';
import { contract, ok } from '../contract.ts';
import { changes } from '../fields/bodies.ts';
import { managers } from '../fields/role.ts';
import { Name, text } from '../fields/text.ts';
import { Project, projectExample } from './project.ts';

export const updateProject = contract({
  operationId: 'update-project',
  route: 'PATCH /v1/projects/{orgId}/{slug}',
  summary: 'Change a project',
  description:
    'Changes the name, the description or both. A `null` description removes it. The slug stays the same. ' +
    'Owners and admins only.',
  access: { kind: 'member', roles: managers, tokens: 'full', narrowestToken: 'project' },
  body: changes({
    name: Name.optional().meta({ description: 'Display name.', example: 'Web shop' }),
    description: text(0, 1000)
      .nullable()
      .optional()
      .meta({ description: 'A description of the project; null for none.', example: 'The public shop.' }),
  }),
  bodyExample: { name: 'Web shop', description: 'The public shop and its admin area.' },
  responses: ok({
    description: 'The project.',
    body: z.object({ project: Project }),
    example: { project: { ...projectExample, description: 'The public shop and its admin area.' } },
  }),
  uses: { table: ['GetItem', 'Query'], reads: ['ORGID', 'ENV'], writes: ['ORG', 'AUDIT'] },
});
