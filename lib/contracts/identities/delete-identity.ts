import { contract, succeeds } from '../contract.ts';
import { managers } from '../fields/role.ts';

export const deleteIdentity = contract({
  operationId: 'delete-identity',
  route: 'DELETE /v1/identities/{orgId}/{identityId}',
  summary: 'Delete an identity',
  description: 'Deletes the identity. Its tokens stop working at once. Owners and admins only.',
  access: { kind: 'member', roles: managers, tokens: 'full', narrowestToken: 'organization', fresh: 'always' },
  responses: succeeds('The identity was deleted.'),
  uses: { table: ['GetItem', 'DeleteItem'], writes: ['ORG', 'USER', 'AUDIT'] },
});
