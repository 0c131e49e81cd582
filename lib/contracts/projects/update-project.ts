import * as z from 'zod';
import { contract } from '../contract.ts';
import { changes } from '../fields/changes.ts';
import { managers } from '../fields/role.ts';
import { Name, text } from '../fields/text.ts';
import { Project, projectExample } from './project.ts';

export const updateProject = contract({
  operationId: 'update-project',
  route: 'PATCH /v1/projects/{orgId}/{slug}',
  summary: 'Change a project',
  description:
    'Changes the name, the description or both. The description `null` removes it. The slug stays. For owners and admins.',
  access: { kind: 'member', roles: managers, tokens: 'full', narrowestToken: 'project' },
  body: changes({
    name: Name.optional().meta({ description: 'Display name.', example: 'Web shop' }),
    description: text(0, 1000)
      .nullable()
      .optional()
      .meta({ description: 'What the project is about; null for nothing.', example: 'The public shop.' }),
  }),
  bodyExample: { name: 'Web shop', description: 'The public shop and its admin area.' },
  responses: {
    200: {
      description: 'The project.',
      body: z.object({ project: Project }),
      example: { project: { ...projectExample, description: 'The public shop and its admin area.' } },
    },
  },
  uses: { table: ['GetItem', 'Query'], reads: ['ORGID', 'ENV'], writes: ['ORG', 'AUDIT'] },
});
