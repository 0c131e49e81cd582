import * as z from 'zod';
import { contract, created } from '../contract.ts';
import { managers } from '../fields/role.ts';
import { Name, newSlug, text } from '../fields/text.ts';
import { Project, projectExample } from './project.ts';

export const createProject = contract({
  operationId: 'create-project',
  route: 'POST /v1/projects/{orgId}',
  summary: 'Create a project',
  description:
    'Creates a project with its own encryption key and the environments `dev`, `staging` and `production`. If ' +
    'the slug is omitted, it is derived from the name. A slug that is taken is rejected, so a script that runs ' +
    'twice creates only one project; if the slug belongs to a project that is being erased, the request first waits up ' +
    'to 10 seconds for that. Reusing the slug of a deleted project requires a fresh ' +
    'session if more roles could read one of the three environments than before.',
  // Reusing a slug with a more open type is like changing the type of the deleted environment.
  access: { kind: 'member', roles: managers, tokens: 'full', narrowestToken: 'organization', fresh: 'by-content' },
  body: z.strictObject({
    name: Name.meta({ description: 'Display name.', example: 'Web shop' }),
    slug: newSlug('web-shop'),
    description: text(0, 1000)
      .optional()
      .meta({ description: 'A description of the project.', example: 'The public shop.' }),
  }),
  bodyExample: { name: 'Web shop', slug: 'web-shop', description: 'The public shop.' },
  responses: created({
    description: 'The project with its environments.',
    body: z.object({ project: Project }),
    example: { project: projectExample },
  }),
  errors: ['plan_limit_exceeded', 'slug_taken'],
  uses: {
    table: ['GetItem', 'ConditionCheckItem'],
    reads: ['PLANS'],
    writes: ['ORG', 'ENV', 'PLATFORM', 'AUDIT'],
    key: { project: ['GenerateDataKey'] },
  },
});
