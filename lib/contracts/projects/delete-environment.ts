import { contract, succeeds } from '../contract.ts';
import { managers } from '../fields/role.ts';

export const deleteEnvironment = contract({
  operationId: 'delete-environment',
  route: 'DELETE /v1/projects/{orgId}/{slug}/environments/{env}',
  summary: 'Delete an environment',
  description:
    'Makes the environment and its history inaccessible at once and erases them in the background. The slug can ' +
    'be reused once that is done. Webhooks limited to the environment are deleted with it. Owners and admins ' +
    'only.',
  access: { kind: 'member', roles: managers, tokens: 'full', narrowestToken: 'project', fresh: 'always' },
  responses: succeeds('The environment was deleted.'),
  uses: {
    table: ['GetItem'],
    reads: ['ORGID', 'ENV'],
    writes: ['ORG', 'ENV', 'AUDIT', 'UNFINISHED'],
    queues: ['jobs'],
  },
});
