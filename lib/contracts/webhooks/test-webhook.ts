import * as z from 'zod';
import { accepted, contract } from '../contract.ts';
import { managers } from '../fields/role.ts';
import { Uuid } from '../fields/text.ts';

export const testWebhook = contract({
  operationId: 'test-webhook',
  route: 'POST /v1/webhooks/{orgId}/{webhookId}/test',
  summary: 'Send a test ping',
  description:
    'Queues a signed delivery of the event `webhook.ping`, even if the webhook is inactive. The result appears ' +
    'in the webhook’s deliveries. Owners and admins only.',
  access: { kind: 'member', roles: managers, tokens: 'full', narrowestToken: 'organization' },
  responses: accepted({
    description: 'The ping is on its way.',
    body: z.object({
      deliveryId: Uuid.meta({
        description: 'The identifier of the delivery.',
        example: '0d4e8b6f-7c21-4a95-9e38-5f1b2c7d6a03',
      }),
    }),
  }),
  uses: { table: ['GetItem'], writes: ['AUDIT', 'DELIVERIES'], queues: ['webhooks'] },
});
