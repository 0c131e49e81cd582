import { contract, succeeds } from '../contract.ts';

export const deleteOrganization = contract({
  operationId: 'delete-organization',
  route: 'DELETE /v1/orgs/{orgId}',
  summary: 'Delete an organization',
  description:
    'Makes the organization and all its data inaccessible at once and erases them in the background. The slug ' +
    'can be reused once that is done. Owners only.',
  access: { kind: 'member', roles: ['owner'], tokens: 'full', narrowestToken: 'organization', fresh: 'always' },
  responses: succeeds('The organization was deleted.'),
  uses: {
    table: ['GetItem', 'PutItem', 'DeleteItem'],
    writes: ['ORG', 'ORGS', 'PLATFORM', 'UNFINISHED'],
    queues: ['jobs'],
  },
});
