import * as z from 'zod';
import { contract, ok } from '../contract.ts';
import { changes } from '../fields/bodies.ts';
import { managers } from '../fields/role.ts';
import { Uuid } from '../fields/text.ts';
import { EventList, TargetUrl, Webhook, webhookExample } from './webhook.ts';

export const updateWebhook = contract({
  operationId: 'update-webhook',
  route: 'PATCH /v1/webhooks/{orgId}/{webhookId}',
  summary: 'Update a webhook',
  description:
    'Changes the given fields, at least one. A null `projectId` or `environmentId` removes that limit. The ' +
    'signing secret stays the same. Owners and admins only.',
  access: { kind: 'member', roles: managers, tokens: 'full', narrowestToken: 'organization' },
  body: changes({
    url: TargetUrl.optional().meta({
      description: 'The URL to send deliveries to.',
      example: 'https://hooks.example.com/holdfast',
    }),
    events: EventList.optional().meta({ description: 'The events to subscribe to.', example: ['secret.deleted'] }),
    projectId: Uuid.nullable().optional().meta({ description: 'Limits the webhook to one project; null for all.' }),
    environmentId: Uuid.nullable()
      .optional()
      .meta({ description: 'Limits the webhook to one environment; null for all.' }),
    active: z.boolean().optional().meta({ description: 'Whether events are delivered.' }),
  }),
  bodyExample: { events: ['secret.deleted'], environmentId: null, active: true },
  responses: ok({
    description: 'The webhook after the change.',
    body: z.object({ webhook: Webhook }),
    example: { webhook: { ...webhookExample, events: ['secret.deleted'] } },
  }),
  errors: ['project_not_found', 'environment_not_found'],
  uses: { table: ['GetItem', 'Query', 'ConditionCheckItem'], writes: ['ORG', 'AUDIT'] },
});
