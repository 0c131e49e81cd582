import * as z from 'zod';
import { accepted, contract, created, ok, succeeds } from '../contract.ts';
import { changes } from '../fields/bodies.ts';
import { DeliveredEventName, EventName, eventNames, WebhookFormat } from '../fields/events.ts';
import { managers } from '../fields/role.ts';
import { EnvironmentId, hasCredentials, line, ProjectId, Timestamp, Uuid, WebhookId } from '../fields/text.ts';

export const Webhook = z
  .object({
    id: WebhookId.describe('Webhook identifier.'),
    url: z.string().meta({ description: 'The URL of its deliveries.', example: 'https://hooks.example.com/holdfast' }),
    events: z.array(EventName).meta({ description: 'The subscribed events.', example: ['secret.updated'] }),
    projectId: Uuid.nullable().describe('The only project whose events are sent; null for all.'),
    environmentId: Uuid.nullable().describe('The only environment whose events are sent; null for all.'),
    format: WebhookFormat,
    active: z.boolean().describe('Whether events are delivered. Test pings always are.'),
    createdAt: Timestamp.describe('When it was created.'),
    updatedAt: Timestamp.describe('When it was last changed.'),
  })
  .meta({ id: 'Webhook', description: 'A subscription of a URL to secret events.' });
export type Webhook = z.infer<typeof Webhook>;

const deliveryIdExample = '0d4e8b6f-7c21-4a95-9e38-5f1b2c7d6a03';

export const webhookExample = {
  events: ['secret.created', 'secret.updated'],
  projectId: '7d5a3b1c-9e2f-4d60-b8a1-4c6e0f9d2a73',
  active: true,
} as const;

/** Checks only the format. The settings and the resolved address decide which schemes and addresses are allowed. */
export const TargetUrl = line(1, 2048)
  .refine(value => /^https?:\/\//i.test(value) && URL.canParse(value), { message: 'must be an absolute https URL' })
  .refine(value => !hasCredentials(value), { message: 'must not contain a user name or password' })
  .meta({
    format: 'uri',
    description: 'The URL to send deliveries to.',
    example: 'https://hooks.example.com/holdfast',
  });

/** Removes duplicate names. The length is checked first, so that a huge list yields one problem. */
export const EventList = z
  .array(z.unknown())
  .min(1, { message: 'must name at least one event', abort: true })
  .max(50, { message: 'must have at most 50 items', abort: true })
  .pipe(z.array(EventName).transform(names => eventNames.filter(name => names.includes(name))))
  .meta({ documentedAs: () => z.array(EventName).min(1).max(50) });

export const listWebhooks = contract({
  operationId: 'list-webhooks',
  route: 'GET /v1/webhooks/{orgId}',
  summary: 'List webhooks',
  description: 'Lists the organization’s webhooks without their signing secrets.',
  access: { kind: 'member', roles: managers, tokens: 'read', narrowestToken: 'organization' },
  responses: ok({
    description: 'The webhooks.',
    body: z.object({ webhooks: z.array(Webhook).describe('The webhooks, oldest first.') }),
    example: { webhooks: [webhookExample] },
  }),
  uses: { table: { Query: ['ORG'] } },
});

export const createWebhook = contract({
  operationId: 'create-webhook',
  route: 'POST /v1/webhooks/{orgId}',
  summary: 'Create a webhook',
  description:
    'Subscribes a public https URL to events of the organization, or of one project or environment. The signing ' +
    'secret, which receivers need to verify `X-Service-Signature`, is returned only once.',
  access: { kind: 'member', roles: managers, tokens: 'full', narrowestToken: 'organization' },
  body: z.strictObject({
    url: TargetUrl,
    events: EventList.meta({ description: 'The events to deliver.', example: ['secret.created', 'secret.updated'] }),
    projectId: ProjectId.optional().describe('Limits the webhook to one project.'),
    environmentId: EnvironmentId.optional().describe('Limits the webhook to one environment.'),
    format: WebhookFormat.default('standard'),
  }),
  bodyExample: {
    url: 'https://hooks.example.com/holdfast',
    events: ['secret.created', 'secret.updated'],
    projectId: '7d5a3b1c-9e2f-4d60-b8a1-4c6e0f9d2a73',
  },
  responses: created({
    description: 'The webhook and its signing secret. The secret is shown only once.',
    body: z.object({
      webhook: Webhook,
      signingSecret: z.string().meta({
        description: 'The key for the HMAC-SHA256 signature of every delivery.',
        example: 'whsec_EXAMPLEnotARealSecret',
      }),
    }),
    example: { webhook: webhookExample },
  }),
  errors: ['project_not_found', 'environment_not_found', 'plan_limit_exceeded'],
  uses: {
    table: { Query: ['ORG'], ConditionCheckItem: ['ORG'], PutItem: ['AUDIT', 'ORG'], UpdateItem: ['ORG'] },
    key: { webhook: ['Encrypt'] },
  },
});

export const RedeliveryOf = Uuid.meta({
  description: 'The delivery whose body was sent again, as in the `X-Service-Redelivery-Of` header.',
  example: deliveryIdExample,
});

export const Delivery = z
  .object({
    id: Uuid.describe('Delivery identifier, as in the `X-Service-Delivery` header.'),
    event: DeliveredEventName,
    statusCode: z.int().nullable().meta({ description: 'The response’s status code; null for none.', example: 204 }),
    success: z.boolean().describe('Whether the status code was 2xx.'),
    responseTimeMs: z.int().nullable().meta({ description: 'Milliseconds it took; null if unknown.', example: 87 }),
    error: z.string().nullable().meta({ description: 'Why it failed, or null.', example: 'timed out after 5 s' }),
    createdAt: Timestamp.describe('When the event happened, or was requested to be sent again.'),
    redeliveryOf: RedeliveryOf.optional(),
  })
  .meta({ id: 'Delivery', description: 'An attempt to deliver an event. It is repeated only on request.' });
export type Delivery = z.infer<typeof Delivery>;

export const getWebhook = contract({
  operationId: 'get-webhook',
  route: 'GET /v1/webhooks/{orgId}/{webhookId}',
  summary: 'Get a webhook and its recent deliveries',
  description: 'Returns the webhook and its last 20 deliveries, including failures and test pings.',
  access: { kind: 'member', roles: managers, tokens: 'read', narrowestToken: 'organization' },
  responses: ok({
    description: 'The webhook and its deliveries.',
    body: z.object({ webhook: Webhook, deliveries: z.array(Delivery).describe('At most 20, newest first.') }),
    example: { webhook: webhookExample, deliveries: [{ id: deliveryIdExample, success: true, error: null }] },
  }),
  uses: { table: { GetItem: ['ORG'], Query: ['DELIVERIES'] } },
});

export const updateWebhook = contract({
  operationId: 'update-webhook',
  route: 'PATCH /v1/webhooks/{orgId}/{webhookId}',
  summary: 'Update a webhook',
  description: 'Changes the given fields. A null `projectId` or `environmentId` removes that limit; the secret stays.',
  access: { kind: 'member', roles: managers, tokens: 'full', narrowestToken: 'organization' },
  body: changes({
    url: TargetUrl.optional(),
    events: EventList.optional().meta({ description: 'The events to subscribe to.', example: ['secret.deleted'] }),
    projectId: Uuid.nullable().optional().describe('Limits the webhook to one project; null for all.'),
    environmentId: Uuid.nullable().optional().describe('Limits the webhook to one environment; null for all.'),
    format: WebhookFormat.optional(),
    active: z.boolean().optional().describe('Whether events are delivered.'),
  }),
  bodyExample: { events: ['secret.deleted'], environmentId: null, active: true },
  responses: ok({
    description: 'The webhook after the change.',
    body: z.object({ webhook: Webhook }),
    example: { webhook: { ...webhookExample, events: ['secret.deleted'] } },
  }),
  errors: ['project_not_found', 'environment_not_found'],
  uses: { table: { GetItem: ['ORG'], Query: ['ORG'], ConditionCheckItem: ['ORG'], PutItem: ['AUDIT', 'ORG'] } },
});

export const deleteWebhook = contract({
  operationId: 'delete-webhook',
  route: 'DELETE /v1/webhooks/{orgId}/{webhookId}',
  summary: 'Delete a webhook',
  description: 'Deletes the webhook and its delivery log. Nothing more is delivered to it.',
  access: { kind: 'member', roles: managers, tokens: 'full', narrowestToken: 'organization' },
  responses: succeeds('The webhook was deleted.'),
  revokes: true,
  uses: {
    table: {
      GetItem: ['ORG'],
      Query: ['DELIVERIES'],
      PutItem: ['AUDIT', 'REVOCATIONS'],
      UpdateItem: ['ORG'],
      DeleteItem: ['DELIVERIES', 'ORG'],
    },
  },
});

export const testWebhook = contract({
  operationId: 'test-webhook',
  route: 'POST /v1/webhooks/{orgId}/{webhookId}/test',
  summary: 'Send a test ping',
  description: 'Queues a signed `webhook.ping`, even if the webhook is inactive. The result appears in its deliveries.',
  access: { kind: 'member', roles: managers, tokens: 'full', narrowestToken: 'organization' },
  responses: accepted({
    description: 'The ping is on its way.',
    body: z.object({
      deliveryId: Uuid.meta({ description: 'The identifier of the delivery.', example: deliveryIdExample }),
    }),
  }),
  uses: { table: { GetItem: ['ORG'], PutItem: ['AUDIT'] }, queues: ['webhooks'] },
});

export const redeliverWebhook = contract({
  operationId: 'redeliver-webhook',
  route: 'POST /v1/webhooks/{orgId}/{webhookId}/deliveries/{deliveryId}/redeliver',
  summary: 'Send a delivery again',
  description:
    'Queues the same body, byte for byte, for the webhook’s current URL, as a new delivery with its own identifier. ' +
    'The header `X-Service-Redelivery-Of` names the original delivery. Only deliveries in the log can be sent again.',
  access: { kind: 'member', roles: managers, tokens: 'full', narrowestToken: 'organization' },
  responses: accepted({
    description: 'The delivery is on its way.',
    body: z.object({
      delivery: Delivery.pick({ id: true, event: true, createdAt: true })
        .extend({ redeliveryOf: RedeliveryOf })
        .describe('The new delivery, before it is sent.'),
    }),
    example: { delivery: { id: '6b1f3d92-40c8-4e57-a1d6-93c5e8f20b74' } },
  }),
  errors: ['webhook_inactive', 'not_redeliverable'],
  uses: {
    table: { GetItem: ['ORG'], BatchGetItem: ['PAYLOAD'], Query: ['DELIVERIES'], PutItem: ['AUDIT'] },
    queues: ['webhooks'],
  },
});
