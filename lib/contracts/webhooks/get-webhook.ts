import * as z from 'zod';
import { contract } from '../contract.ts';
import { managers } from '../fields/role.ts';
import { Delivery } from './delivery.ts';
import { Webhook, webhookExample } from './webhook.ts';

export const getWebhook = contract({
  operationId: 'get-webhook',
  route: 'GET /v1/webhooks/{orgId}/{webhookId}',
  summary: 'Get a webhook and its recent deliveries',
  description:
    'Returns the webhook and its last 20 deliveries, including failures and test pings. Owners and admins only.',
  access: { kind: 'member', roles: managers, tokens: 'read', narrowestToken: 'organization' },
  responses: {
    200: {
      description: 'The webhook and its deliveries.',
      body: z.object({
        webhook: Webhook,
        deliveries: z.array(Delivery).meta({ description: 'At most 20, newest first.' }),
      }),
      example: {
        webhook: webhookExample,
        deliveries: [{ id: '0d4e8b6f-7c21-4a95-9e38-5f1b2c7d6a03', success: true, error: null }],
      },
    },
  },
  uses: { table: ['GetItem', 'Query'], reads: ['DELIVERIES'] },
});
