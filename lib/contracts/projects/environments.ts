import * as z from 'zod';
import { contract, created, ok, succeeds } from '../contract.ts';
import { changes } from '../fields/bodies.ts';
import { maxApprovals } from '../fields/proposal.ts';
import { keepQuery } from '../fields/query.ts';
import { EnvironmentType, managers, roles } from '../fields/role.ts';
import { Name, newSlug } from '../fields/text.ts';
import { Environment, environmentExample, projectExample } from './projects.ts';

export const createEnvironment = contract({
  operationId: 'create-environment',
  route: 'POST /v1/projects/{orgId}/{slug}/environments',
  summary: 'Create a custom environment',
  description:
    'Adds an environment to the project. Its type determines which roles can read and write its secrets. The ' +
    'default is `production`, which only owners and admins can read. If the slug belongs to an environment that is being erased, the request first waits ' +
    'up to 10 seconds for that. Reusing the slug of a deleted environment with a type that more roles can read is ' +
    'limited to owners and admins and requires a fresh session.',
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
  uses: {
    table: { GetItem: ['ORG'], ConditionCheckItem: ['ORG'], PutItem: ['AUDIT', 'ENV', 'ORG'], UpdateItem: ['ORG'] },
  },
});

export const updateEnvironment = contract({
  operationId: 'update-environment',
  route: 'PATCH /v1/projects/{orgId}/{slug}/environments/{env}',
  summary: 'Change an environment',
  description:
    'Changes the name, the type or the number of approvals that changes of its secrets need. The slug stays the same. ' +
    'Changing the type or the approvals takes a fresh session. Only owners may change the type, which determines which ' +
    'roles can use the secrets, and lower the approvals, which no token may. Lowering them applies no proposal.',
  // To change the type or the approvals.
  access: { kind: 'member', roles: managers, tokens: 'full', narrowestToken: 'project', fresh: 'by-content' },
  body: changes({
    name: Name.optional().meta({ description: 'Display name.', example: 'Development' }),
    type: EnvironmentType.optional(),
    approvals: z.int().min(0).max(maxApprovals).optional().meta({
      description: 'How many people must approve each change of its secrets. With 0, changes need no approval.',
      example: 1,
    }),
  }),
  bodyExample: { name: 'Local development' },
  responses: ok({
    description: 'The environment.',
    body: z.object({ environment: Environment }),
    example: { environment: { ...projectExample.environments[0], name: 'Local development' } },
  }),
  uses: { table: { GetItem: ['ORGID'], BatchGetItem: ['ENV'], PutItem: ['AUDIT'], UpdateItem: ['ENV', 'ORG'] } },
});

export const deleteEnvironment = contract({
  operationId: 'delete-environment',
  route: 'DELETE /v1/projects/{orgId}/{slug}/environments/{env}',
  summary: 'Delete an environment',
  description:
    'Makes the environment and its history inaccessible at once and erases them in the background. The slug can be ' +
    'reused once that is done. Webhooks limited to the environment are deleted with it. With `keepDays`, all that ' +
    'happens afterwards, and an owner can restore it as it was until then. If changes of its secrets need approval, only ' +
    'owners may delete it, and no token.',
  access: { kind: 'member', roles: managers, tokens: 'full', narrowestToken: 'project', fresh: 'always' },
  query: z.strictObject(keepQuery),
  responses: succeeds('The environment was deleted.'),
  uses: {
    table: { GetItem: ['ORGID'], BatchGetItem: ['ENV'], PutItem: ['AUDIT', 'UNFINISHED'], UpdateItem: ['ENV', 'ORG'] },
    queues: ['jobs'],
  },
});
