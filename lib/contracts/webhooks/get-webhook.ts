import * as z from 'zod';
import { contract, ok } from '../contract.ts';
import { DeliveredEventName } from '../fields/events.ts';
import { managers } from '../fields/role.ts';
import { Timestamp, Uuid } from '../fields/text.ts';
import { Webhook, webhookExample } from './webhook.ts';

export const RedeliveryOf = Uuid.meta({
  description: 'The delivery whose body was sent again, as in the `X-Service-Redelivery-Of` header.',
  example: '0d4e8b6f-7c21-4a95-9e38-5f1b2c7d6a03',
});

export const Delivery = z
  .object({
    id: Uuid.meta({ description: 'Delivery identifier, as in the `X-Service-Delivery` header.' }),
    event: DeliveredEventName,
    statusCode: z
      .int()
      .nullable()
      .meta({ description: 'The status code of the response; null if there was none.', example: 204 }),
    success: z.boolean().meta({ description: 'Whether the status code was 2xx.' }),
    responseTimeMs: z
      .int()
      .nullable()
      .meta({ description: 'Milliseconds until the response or the failure; null if unknown.', example: 87 }),
    error: z
      .string()
      .nullable()
      .meta({ description: 'Why the delivery failed; null if it succeeded.', example: 'timed out after 5 s' }),
    createdAt: Timestamp.meta({ description: 'When the event happened, or was requested to be sent again.' }),
    redeliveryOf: RedeliveryOf.optional(),
  })
  .meta({ id: 'Delivery', description: 'An attempt to deliver an event. It is repeated only on request.' });
export type Delivery = z.infer<typeof Delivery>;

export const getWebhook = contract({
  operationId: 'get-webhook',
  route: 'GET /v1/webhooks/{orgId}/{webhookId}',
  summary: 'Get a webhook and its recent deliveries',
  description:
    'Returns the webhook and its last 20 deliveries, including failures and test pings. Owners and admins only.',
  access: { kind: 'member', roles: managers, tokens: 'read', narrowestToken: 'organization' },
  responses: ok({
    description: 'The webhook and its deliveries.',
    body: z.object({
      webhook: Webhook,
      deliveries: z.array(Delivery).meta({ description: 'At most 20, newest first.' }),
    }),
    example: {
      webhook: webhookExample,
      deliveries: [{ id: '0d4e8b6f-7c21-4a95-9e38-5f1b2c7d6a03', success: true, error: null }],
    },
  }),
  uses: { table: ['GetItem', 'Query'], reads: ['DELIVERIES'] },
});
