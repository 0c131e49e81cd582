import * as z from 'zod';
import { contract, ok } from '../contract.ts';
import { managers } from '../fields/role.ts';
import { Webhook, webhookExample } from './webhook.ts';

export const listWebhooks = contract({
  operationId: 'list-webhooks',
  route: 'GET /v1/webhooks/{orgId}',
  summary: 'List webhooks',
  description: 'Lists the organization’s webhooks without their signing secrets. Owners and admins only.',
  access: { kind: 'member', roles: managers, tokens: 'read', narrowestToken: 'organization' },
  responses: ok({
    description: 'The webhooks.',
    body: z.object({ webhooks: z.array(Webhook).meta({ description: 'The webhooks, oldest first.' }) }),
    example: { webhooks: [webhookExample] },
  }),
  uses: { table: ['Query'] },
});
