import { contract, ok } from '../contract.ts';
import { managers } from '../fields/role.ts';
import { answer, example } from './identity.ts';

export const getIdentity = contract({
  operationId: 'get-identity',
  route: 'GET /v1/identities/{orgId}/{identityId}',
  summary: 'Get an identity',
  description: 'Returns the identity. Owners and admins only.',
  access: { kind: 'member', roles: managers, tokens: 'read', narrowestToken: 'organization' },
  responses: ok({ description: 'The identity.', body: answer, example: { identity: example } }),
  uses: { table: ['GetItem'] },
});
