import { contract } from '../contract.ts';
import { managers } from '../fields/role.ts';
import { Success } from '../fields/success.ts';

export const deleteEnvironment = contract({
  operationId: 'delete-environment',
  route: 'DELETE /v1/projects/{orgId}/{slug}/environments/{env}',
  summary: 'Delete an environment',
  description:
    'Makes the environment and the history of its secrets unreachable at once and erases them in the background. The ' +
    'slug can be used again when that is done. Webhooks that are limited to the environment are deleted with it. For ' +
    'owners and admins.',
  access: { kind: 'member', roles: managers, tokens: 'full', narrowestToken: 'project', fresh: 'always' },
  responses: { 200: { description: 'The environment is deleted.', body: Success } },
  uses: {
    table: ['GetItem'],
    reads: ['ORGID', 'ENV'],
    writes: ['ORG', 'ENV', 'AUDIT', 'UNFINISHED'],
    queues: ['jobs'],
  },
});
