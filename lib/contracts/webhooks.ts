import * as z from 'zod';
import { contract } from './contract.ts';
import { changes } from './fields/changes.ts';
import { DeliveredEventName, EventName, eventNames } from './fields/events.ts';
import { Success } from './fields/success.ts';
import { line, Timestamp, Uuid } from './fields/text.ts';

const area = 'webhooks';

export const Webhook = z
  .object({
    id: Uuid.meta({ description: 'Webhook identifier.', example: 'f27a9c54-3d8e-4b61-a0f5-8c2d6e1b7940' }),
    url: z
      .string()
      .meta({ description: 'The URL that deliveries are sent to.', example: 'https://hooks.example.com/holdfast' }),
    events: z
      .array(EventName)
      .meta({ description: 'The events that it is subscribed to.', example: ['secret.updated'] }),
    projectId: Uuid.nullable().meta({ description: 'The only project that it reports; null for all.' }),
    environmentId: Uuid.nullable().meta({ description: 'The only environment that it reports; null for all.' }),
    active: z.boolean().meta({ description: 'Whether events are delivered. A test ping always is.' }),
    createdAt: Timestamp.meta({ description: 'When it was created.' }),
    updatedAt: Timestamp.meta({ description: 'When it was last changed.' }),
  })
  .meta({ id: 'Webhook', description: 'A subscription of a URL to secret events.' });
export type Webhook = z.infer<typeof Webhook>;

export const Delivery = z
  .object({
    id: Uuid.meta({ description: 'Delivery identifier, as in the `X-Service-Delivery` header.' }),
    event: DeliveredEventName,
    statusCode: z
      .int()
      .nullable()
      .meta({ description: 'The status of the answer; null if there was none.', example: 204 }),
    success: z.boolean().meta({ description: 'Whether the answer was 2xx.' }),
    responseTimeMs: z
      .int()
      .nullable()
      .meta({ description: 'Milliseconds until the answer or the failure; null if unknown.', example: 87 }),
    error: z
      .string()
      .nullable()
      .meta({ description: 'Why it failed; null if it succeeded.', example: 'timed out after 5 s' }),
    createdAt: Timestamp.meta({ description: 'When the event happened.' }),
  })
  .meta({ id: 'Delivery', description: 'An attempt to deliver an event. It is never retried.' });
export type Delivery = z.infer<typeof Delivery>;

/** Checks the form only. The settings and the resolved address decide which schemes and addresses are allowed. */
const TargetUrl = line(1, 2048)
  .refine(value => /^https?:\/\//i.test(value) && URL.canParse(value), { message: 'must be an absolute https URL' })
  .refine(value => !hasCredentials(value), { message: 'must not contain a user name or password' })
  .meta({ format: 'uri' });

function hasCredentials(value: string): boolean {
  const url = URL.parse(value);
  return url !== null && (url.username !== '' || url.password !== '');
}

/** Keeps each name once. The length is checked first, so that a huge list yields one problem. */
const EventList = z
  .array(z.unknown())
  .min(1, { message: 'must name at least one event', abort: true })
  .max(50, { message: 'must have at most 50 items', abort: true })
  .pipe(z.array(EventName).transform(names => eventNames.filter(name => names.includes(name))))
  .meta({ documentedAs: () => z.array(EventName).min(1).max(50) });

const webhookExample = {
  id: 'f27a9c54-3d8e-4b61-a0f5-8c2d6e1b7940',
  url: 'https://hooks.example.com/holdfast',
  events: ['secret.created', 'secret.updated'],
  projectId: '7d5a3b1c-9e2f-4d60-b8a1-4c6e0f9d2a73',
  environmentId: null,
  active: true,
  createdAt: '2026-01-31T09:26:53.589Z',
  updatedAt: '2026-01-31T09:26:53.589Z',
} as const;

const managers = ['owner', 'admin'] as const;

export const listWebhooks = /* @__PURE__ */ contract({
  operationId: 'list-webhooks',
  area,
  method: 'GET',
  path: '/v1/webhooks/{orgId}',
  summary: 'List webhooks',
  description: 'Lists the organization’s webhooks without their signing secrets. For owners and admins.',
  access: { kind: 'member', roles: managers, tokens: 'read', narrowestToken: 'organization' },
  responses: {
    200: {
      description: 'The webhooks.',
      body: z.object({ webhooks: z.array(Webhook).meta({ description: 'The webhooks, oldest first.' }) }),
      example: { webhooks: [webhookExample] },
    },
  },
  errors: [],
  uses: { table: ['BatchGetItem', 'Query', 'UpdateItem'] },
});

export const createWebhook = /* @__PURE__ */ contract({
  operationId: 'create-webhook',
  area,
  method: 'POST',
  path: '/v1/webhooks/{orgId}',
  summary: 'Create a webhook',
  description:
    'Subscribes a public https URL to events of the organization, or of one project or environment. The signing secret, ' +
    'with which receivers verify `X-Service-Signature`, is returned only once. For owners and admins.',
  access: { kind: 'member', roles: managers, tokens: 'full', narrowestToken: 'organization' },
  body: z.strictObject({
    url: TargetUrl.meta({
      description: 'The URL to send deliveries to.',
      example: 'https://hooks.example.com/holdfast',
    }),
    events: EventList.meta({
      description: 'The events to subscribe to.',
      example: ['secret.created', 'secret.updated'],
    }),
    projectId: Uuid.optional().meta({
      description: 'Limits the webhook to one project.',
      example: '7d5a3b1c-9e2f-4d60-b8a1-4c6e0f9d2a73',
    }),
    environmentId: Uuid.optional().meta({
      description: 'Limits the webhook to one environment.',
      example: 'c41f8e27-06d3-4b9a-a5e2-8d7b3f1c6094',
    }),
  }),
  bodyExample: {
    url: 'https://hooks.example.com/holdfast',
    events: ['secret.created', 'secret.updated'],
    projectId: '7d5a3b1c-9e2f-4d60-b8a1-4c6e0f9d2a73',
  },
  responses: {
    201: {
      description: 'The webhook and its signing secret, which is shown only once.',
      body: z.object({
        webhook: Webhook,
        signingSecret: z.string().meta({
          description: 'The key of the HMAC-SHA256 signature of every delivery.',
          example: 'whsec_EXAMPLEnotARealSecret',
        }),
      }),
      example: { webhook: webhookExample, signingSecret: 'whsec_EXAMPLEnotARealSecret' },
    },
  },
  errors: ['project_not_found', 'environment_not_found', 'plan_limit_exceeded'],
  uses: {
    table: ['BatchGetItem', 'GetItem', 'Query', 'PutItem', 'UpdateItem', 'ConditionCheckItem'],
    reads: ['PLANS'],
    writes: ['ORG', 'AUDIT'],
    key: { webhook: ['Encrypt'] },
  },
});

export const getWebhook = /* @__PURE__ */ contract({
  operationId: 'get-webhook',
  area,
  method: 'GET',
  path: '/v1/webhooks/{orgId}/{webhookId}',
  summary: 'Get a webhook and its recent deliveries',
  description:
    'Returns the webhook with its last 20 deliveries, including failed ones and test pings. For owners and admins.',
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
        deliveries: [
          {
            id: '0d4e8b6f-7c21-4a95-9e38-5f1b2c7d6a03',
            event: 'secret.updated',
            statusCode: 204,
            success: true,
            responseTimeMs: 87,
            error: null,
            createdAt: '2026-01-31T09:26:53.589Z',
          },
        ],
      },
    },
  },
  errors: [],
  uses: { table: ['BatchGetItem', 'GetItem', 'Query', 'UpdateItem'], reads: ['DELIVERIES'] },
});

export const updateWebhook = /* @__PURE__ */ contract({
  operationId: 'update-webhook',
  area,
  method: 'PATCH',
  path: '/v1/webhooks/{orgId}/{webhookId}',
  summary: 'Update a webhook',
  description:
    'Changes the given fields, at least one. A null `projectId` or `environmentId` removes that limit. The signing secret ' +
    'stays the same. For owners and admins.',
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
  responses: {
    200: {
      description: 'The webhook after the change.',
      body: z.object({ webhook: Webhook }),
      example: { webhook: { ...webhookExample, events: ['secret.deleted'] } },
    },
  },
  errors: ['project_not_found', 'environment_not_found'],
  uses: {
    table: ['BatchGetItem', 'GetItem', 'Query', 'PutItem', 'UpdateItem', 'ConditionCheckItem'],
    writes: ['ORG', 'AUDIT'],
  },
});

export const deleteWebhook = /* @__PURE__ */ contract({
  operationId: 'delete-webhook',
  area,
  method: 'DELETE',
  path: '/v1/webhooks/{orgId}/{webhookId}',
  summary: 'Delete a webhook',
  description: 'Deletes the webhook and its delivery log. Nothing more is delivered to it. For owners and admins.',
  access: { kind: 'member', roles: managers, tokens: 'full', narrowestToken: 'organization' },
  responses: { 200: { description: 'The webhook is deleted.', body: Success, example: { success: true } } },
  errors: [],
  uses: {
    table: ['BatchGetItem', 'GetItem', 'PutItem', 'UpdateItem', 'DeleteItem', 'Query'],
    reads: ['DELIVERIES'],
    writes: ['ORG', 'AUDIT', 'DELIVERIES'],
  },
});

export const testWebhook = /* @__PURE__ */ contract({
  operationId: 'test-webhook',
  area,
  method: 'POST',
  path: '/v1/webhooks/{orgId}/{webhookId}/test',
  summary: 'Send a test ping',
  description:
    'Queues a signed delivery of the event `webhook.ping`, even for an inactive webhook. The result appears in the ' +
    'webhook’s deliveries. For owners and admins.',
  access: { kind: 'member', roles: managers, tokens: 'full', narrowestToken: 'organization' },
  responses: {
    202: {
      description: 'The ping is on its way.',
      body: z.object({
        deliveryId: Uuid.meta({
          description: 'The identifier of the delivery in the webhook’s deliveries.',
          example: '0d4e8b6f-7c21-4a95-9e38-5f1b2c7d6a03',
        }),
      }),
      example: { deliveryId: '0d4e8b6f-7c21-4a95-9e38-5f1b2c7d6a03' },
    },
  },
  errors: [],
  uses: {
    table: ['BatchGetItem', 'GetItem', 'PutItem', 'UpdateItem'],
    writes: ['AUDIT', 'DELIVERIES'],
    queues: ['webhooks'],
  },
});
