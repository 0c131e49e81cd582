import * as z from 'zod';
import { contract, ok } from '../contract.ts';
import { changes } from '../fields/bodies.ts';
import { EnvironmentType, managers } from '../fields/role.ts';
import { Name } from '../fields/text.ts';
import { Environment, projectExample } from './project.ts';

export const updateEnvironment = contract({
  operationId: 'update-environment',
  route: 'PATCH /v1/projects/{orgId}/{slug}/environments/{env}',
  summary: 'Change an environment',
  description:
    'Changes the name, the type or both. The slug stays the same. Owners and admins only. The type determines ' +
    'which roles can read and write the secrets, so only owners may change it, with a fresh session.',
  // To change the type.
  access: { kind: 'member', roles: managers, tokens: 'full', narrowestToken: 'project', fresh: 'by-content' },
  body: changes({
    name: Name.optional().meta({ description: 'Display name.', example: 'Development' }),
    type: EnvironmentType.optional(),
  }),
  bodyExample: { name: 'Local development' },
  responses: ok({
    description: 'The environment.',
    body: z.object({ environment: Environment }),
    example: { environment: { ...projectExample.environments[0], name: 'Local development' } },
  }),
  uses: { table: ['GetItem'], reads: ['ORGID', 'ENV'], writes: ['ORG', 'ENV', 'AUDIT'] },
});
