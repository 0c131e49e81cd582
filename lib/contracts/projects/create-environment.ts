import * as z from 'zod';
import { contract, created } from '../contract.ts';
import { EnvironmentType, roles } from '../fields/role.ts';
import { Name, newSlug } from '../fields/text.ts';
import { Environment, environmentExample } from './project.ts';

export const createEnvironment = contract({
  operationId: 'create-environment',
  route: 'POST /v1/projects/{orgId}/{slug}/environments',
  summary: 'Create a custom environment',
  description:
    'Adds an environment to the project. Its type determines which roles can read and write its secrets. The ' +
    'default is `production`, which only owners and admins can read. Available to all members. If the slug belongs to an environment that is being erased, the request first waits ' +
    'up to 10 seconds for that. Reusing the slug of a ' +
    'deleted environment with a type that more roles can read is limited to owners and admins and requires a fresh ' +
    'session.',
  // Reusing a slug with a more open type is like changing the type of the deleted environment.
  access: { kind: 'member', roles, tokens: 'full', narrowestToken: 'project', fresh: 'by-content' },
  body: z.strictObject({
    name: Name.meta({ description: 'Display name.', example: 'Load test' }),
    slug: newSlug('load-test'),
    type: EnvironmentType.default('production').meta({ example: 'staging' }),
  }),
  bodyExample: { name: 'Load test', slug: 'load-test', type: 'staging' },
  responses: created({
    description: 'The new, empty environment.',
    body: z.object({ environment: Environment }),
    example: {
      environment: {
        ...environmentExample,
        id: 'e85d2c17-7a94-4f03-8b6e-1c3f9d5a0b28',
        slug: 'load-test',
        name: 'Load test',
      },
    },
  }),
  errors: ['plan_limit_exceeded', 'slug_taken', 'forbidden'],
  uses: { table: ['GetItem', 'ConditionCheckItem'], reads: ['PLANS'], writes: ['ORG', 'ENV', 'AUDIT'] },
});
