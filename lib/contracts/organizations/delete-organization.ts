import { contract } from '../contract.ts';
import { Success } from '../fields/success.ts';

export const deleteOrganization = contract({
  operationId: 'delete-organization',
  route: 'DELETE /v1/orgs/{orgId}',
  summary: 'Delete an organization',
  description:
    'Makes the organization and all its data unreachable at once and erases them in the background. The slug can be used ' +
    'again when that is done. For owners only.',
  access: { kind: 'member', roles: ['owner'], tokens: 'full', narrowestToken: 'organization', fresh: 'always' },
  responses: { 200: { description: 'The organization is deleted.', body: Success } },
  uses: {
    table: ['GetItem', 'PutItem', 'DeleteItem'],
    writes: ['ORG', 'ORGS', 'PLATFORM', 'UNFINISHED'],
    queues: ['jobs'],
  },
});
