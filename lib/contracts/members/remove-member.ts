import { contract } from '../contract.ts';
import { managers } from '../fields/role.ts';
import { Success } from '../fields/success.ts';

export const removeMember = contract({
  operationId: 'remove-member',
  area: 'members',
  method: 'DELETE',
  path: '/v1/members/{orgId}/{id}',
  summary: 'Remove a member or cancel an invitation',
  description:
    'Removes the member with this identifier and permanently revokes their tokens that are limited to the organization, ' +
    'or cancels the invitation with this identifier. For owners and admins. An admin can’t remove an owner, and the last ' +
    'owner can’t be removed.',
  access: { kind: 'member', roles: managers, tokens: 'full', narrowestToken: 'organization' },
  responses: { 200: { description: 'The member or invitation is gone.', body: Success } },
  errors: ['last_owner'],
  uses: {
    table: ['GetItem', 'Query', 'DeleteItem', 'BatchWriteItem'],
    reads: ['ORGID'],
    writes: ['ORG', 'INVITATION', 'AUDIT'],
  },
});
