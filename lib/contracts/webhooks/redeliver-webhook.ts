import * as z from 'zod';
import { accepted, contract } from '../contract.ts';
import { managers } from '../fields/role.ts';
import { Delivery, RedeliveryOf } from './get-webhook.ts';

export const redeliverWebhook = contract({
  operationId: 'redeliver-webhook',
  route: 'POST /v1/webhooks/{orgId}/{webhookId}/deliveries/{deliveryId}/redeliver',
  summary: 'Send a delivery again',
  description:
    'Queues the same body, byte for byte, for the webhook’s current URL, as a new delivery with its own identifier. ' +
    'The header `X-Service-Redelivery-Of` names the original delivery. The result appears in the webhook’s ' +
    'deliveries. Only deliveries in the log can be sent again. Owners and admins only.',
  access: { kind: 'member', roles: managers, tokens: 'full', narrowestToken: 'organization' },
  responses: accepted({
    description: 'The delivery is on its way.',
    body: z.object({
      delivery: Delivery.pick({ id: true, event: true, createdAt: true })
        .extend({ redeliveryOf: RedeliveryOf })
        .meta({ description: 'The new delivery, before it is sent.' }),
    }),
    example: { delivery: { id: '6b1f3d92-40c8-4e57-a1d6-93c5e8f20b74' } },
  }),
  errors: ['webhook_inactive', 'not_redeliverable'],
  uses: {
    table: ['GetItem', 'BatchGetItem', 'Query'],
    reads: ['DELIVERIES', 'PAYLOAD'],
    queries: ['DELIVERIES'],
    writes: ['AUDIT'],
    queues: ['webhooks'],
  },
});
