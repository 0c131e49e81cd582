import { contract } from '../contract.ts';
import { Success } from '../fields/success.ts';

export const deleteProject = contract({
  operationId: 'delete-project',
  route: 'DELETE /v1/projects/{orgId}/{slug}',
  summary: 'Delete a project',
  description:
    'Makes the project unreachable at once and destroys its wrapped data key, so that none of its values can be decrypted ' +
    'any more. The stored data is erased in the background. For owners only.',
  access: { kind: 'member', roles: ['owner'], tokens: 'full', narrowestToken: 'project', fresh: 'always' },
  responses: { 200: { description: 'The project is deleted.', body: Success } },
  uses: {
    table: ['GetItem', 'Query'],
    reads: ['ORGID'],
    writes: ['ORG', 'ENV', 'PLATFORM', 'AUDIT', 'UNFINISHED'],
    queues: ['jobs'],
  },
});
