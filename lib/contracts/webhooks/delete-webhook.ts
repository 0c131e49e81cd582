import { contract, succeeds } from '../contract.ts';
import { managers } from '../fields/role.ts';

export const deleteWebhook = contract({
  operationId: 'delete-webhook',
  route: 'DELETE /v1/webhooks/{orgId}/{webhookId}',
  summary: 'Delete a webhook',
  description: 'Deletes the webhook and its delivery log. Nothing more is delivered to it. Owners and admins only.',
  access: { kind: 'member', roles: managers, tokens: 'full', narrowestToken: 'organization' },
  responses: succeeds('The webhook was deleted.'),
  uses: { table: ['GetItem', 'DeleteItem', 'Query'], reads: ['DELIVERIES'], writes: ['ORG', 'AUDIT', 'DELIVERIES'] },
});
