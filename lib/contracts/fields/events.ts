import * as z from 'zod';
import { EnvironmentId, OrganizationId, Slug, Timestamp, UserReference, Uuid } from './text.ts';

/** The events that a webhook can subscribe to. */
export const eventNames = [
  'secret.created',
  'secret.updated',
  'secret.deleted',
  'secret.promoted',
  'secret.bulk_set',
  'secret.bulk_delete',
] as const;
export const EventName = z
  .enum(eventNames)
  .meta({ id: 'EventName', description: 'An event that a webhook can subscribe to.', example: 'secret.updated' });
export type EventName = z.infer<typeof EventName>;

/** Only the test endpoint sends it; it can't be subscribed to. */
export const pingEvent = 'webhook.ping';

export const DeliveredEventName = z
  .enum([...eventNames, pingEvent])
  .meta({ id: 'DeliveredEventName', description: 'An event that a delivery can carry.', example: 'secret.updated' });
export type DeliveredEventName = z.infer<typeof DeliveredEventName>;

/** What a delivery's body is: the event, or one sentence about it for a Slack channel. */
export const WebhookFormat = z.enum(['standard', 'slack']).meta({
  id: 'WebhookFormat',
  description:
    'The body of the deliveries: `standard` is the event, `slack` is `{"text": …}` with one sentence for people.',
  example: 'standard',
});

/** The `key` of an event about several keys, or about none. */
export const manyKeys = '*';

const PlaceReference = z.object({
  id: EnvironmentId.describe('Identifier.'),
  slug: Slug.meta({ description: 'Slug.', example: 'staging' }),
});

export const EventMetadata = z
  .object({
    version: z.int().optional().meta({ description: 'The version of the key, for events about one key.', example: 3 }),
    revision: z.int().optional().meta({ description: 'The environment’s revision after the change.', example: 18 }),
    keys: z
      .array(z.string())
      .optional()
      .meta({
        description: 'The names of the keys, for events about many keys.',
        example: ['DATABASE_HOST', 'LOG_LEVEL'],
      }),
    message: z.string().optional().meta({ description: 'The author’s reason.', example: 'Move to the new database' }),
    from: PlaceReference.optional().describe('The source environment of a promotion.'),
    proposal: z
      .object({
        id: Uuid.meta({ description: 'Its identifier.', example: '01943c8e-5a10-7c3d-9f42-6b8e2d7a1c05' }),
        author: UserReference.describe('Who proposed the change.'),
        approvedBy: z.array(UserReference).describe('Who approved it.'),
      })
      .optional()
      .describe('The proposal that the change applied.'),
  })
  .meta({ id: 'EventMetadata', description: 'Further details of the event; never a value.' });
export type EventMetadata = z.infer<typeof EventMetadata>;

/** The body of a delivery. Every member is always present. Never contains the value of a secret. */
export const EventPayload = z
  .object({
    event: DeliveredEventName,
    timestamp: Timestamp.describe('When it happened.'),
    org: z.object({ id: OrganizationId.describe('Identifier.') }).describe('The organization.'),
    project: PlaceReference.describe('The project.'),
    environment: PlaceReference.describe('The environment; for a promotion, the target.'),
    key: z.string().meta({ description: 'The secret’s key; `*` for a ping or many keys.', example: 'DATABASE_HOST' }),
    actor: UserReference.describe('Who acted.'),
    metadata: EventMetadata,
  })
  .meta({ id: 'EventPayload', description: 'The body of a webhook delivery.' });
export type EventPayload = z.infer<typeof EventPayload>;

export const eventPayloadExample: EventPayload = {
  event: 'secret.updated',
  timestamp: '2026-01-31T09:26:53.589Z',
  org: { id: '9b2d6f0e-3c1a-4c5d-8e77-2f4b6a9d0c31' },
  project: { id: '7d5a3b1c-9e2f-4d60-b8a1-4c6e0f9d2a73', slug: 'web-shop' },
  environment: { id: 'c41f8e27-06d3-4b9a-a5e2-8d7b3f1c6094', slug: 'staging' },
  key: 'DATABASE_HOST',
  actor: { id: '5f0c9a52-7b1e-4c43-9a55-0d6c1e8f2b11', email: 'ada@example.com' },
  metadata: { version: 3, revision: 18 },
};
