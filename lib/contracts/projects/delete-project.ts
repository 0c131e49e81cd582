import { contract, succeeds } from '../contract.ts';

export const deleteProject = contract({
  operationId: 'delete-project',
  route: 'DELETE /v1/projects/{orgId}/{slug}',
  summary: 'Delete a project',
  description:
    'Makes the project inaccessible at once and destroys its wrapped data key, so its values can never be ' +
    'decrypted again. The stored data is erased in the background. Owners only.',
  access: { kind: 'member', roles: ['owner'], tokens: 'full', narrowestToken: 'project', fresh: 'always' },
  responses: succeeds('The project was deleted.'),
  uses: {
    table: ['GetItem', 'Query'],
    reads: ['ORGID'],
    writes: ['ORG', 'ENV', 'PLATFORM', 'AUDIT', 'UNFINISHED'],
    queues: ['jobs'],
  },
});
