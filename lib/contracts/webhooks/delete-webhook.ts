import { contract } from '../contract.ts';
import { managers } from '../fields/role.ts';
import { Success } from '../fields/success.ts';

export const deleteWebhook = contract({
  operationId: 'delete-webhook',
  route: 'DELETE /v1/webhooks/{orgId}/{webhookId}',
  summary: 'Delete a webhook',
  description: 'Deletes the webhook and its delivery log. Nothing more is delivered to it. Owners and admins only.',
  access: { kind: 'member', roles: managers, tokens: 'full', narrowestToken: 'organization' },
  responses: { 200: { description: 'The webhook was deleted.', body: Success } },
  uses: { table: ['GetItem', 'DeleteItem', 'Query'], reads: ['DELIVERIES'], writes: ['ORG', 'AUDIT', 'DELIVERIES'] },
});
