import { contract } from '../contract.ts';
import { managers } from '../fields/role.ts';
import { Success } from '../fields/success.ts';

export const deleteIdentity = contract({
  operationId: 'delete-identity',
  route: 'DELETE /v1/identities/{orgId}/{identityId}',
  summary: 'Delete an identity',
  description: 'Deletes the identity. Its tokens stop working at once. Owners and admins only.',
  access: { kind: 'member', roles: managers, tokens: 'full', narrowestToken: 'organization', fresh: 'always' },
  responses: { 200: { description: 'The identity was deleted.', body: Success } },
  uses: { table: ['GetItem', 'DeleteItem'], writes: ['ORG', 'USER', 'AUDIT'] },
});
