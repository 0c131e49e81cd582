import { type DeliveredEventName, EventPayload, eventPayloadExample } from '#lib/contracts/fields/events.ts';
import { type Components, type JsonObject, jsonSchemaOf } from './json-schema.ts';

const triggers: Readonly<Record<DeliveredEventName, string>> = {
  'secret.created': 'A secret was created.',
  'secret.updated': 'A secret has a new version.',
  'secret.deleted': 'A secret was deleted.',
  'secret.promoted': 'Secrets were promoted to this environment. One delivery for all of them; `key` is `*`.',
  'secret.bulk_set': 'Secrets were imported in bulk. One delivery for all of them; `key` is `*`.',
  'secret.bulk_delete': 'Secrets were deleted in bulk. One delivery for all of them; `key` is `*`.',
  'webhook.ping': 'A test ping was requested. `key` is `*`, `metadata` is empty.',
};

const manyKeysExample = {
  ...eventPayloadExample,
  key: '*',
  metadata: { revision: 18, keys: ['DATABASE_HOST', 'LOG_LEVEL'] },
};
const payloadExamples: Readonly<Partial<Record<DeliveredEventName, EventPayload>>> = {
  'secret.promoted': {
    ...manyKeysExample,
    metadata: { ...manyKeysExample.metadata, from: { id: 'a2f6c8d1-4e3b-47a9-9c50-6b1d8e7f2a34', slug: 'dev' } },
  },
  'secret.bulk_set': manyKeysExample,
  'secret.bulk_delete': manyKeysExample,
  'webhook.ping': { ...manyKeysExample, metadata: {} },
};

/** One webhook per event: receivers subscribe to events by name. */
export function webhooksOf(components: Components): JsonObject {
  const schema = jsonSchemaOf(EventPayload, 'output', components);
  const header = (name: string, text: string, example: string): JsonObject => ({
    name,
    in: 'header',
    required: true,
    description: text,
    schema: { type: 'string', examples: [example] },
  });
  return Object.fromEntries(
    (Object.entries(triggers) as [DeliveredEventName, string][]).map(([event, trigger]) => [
      event,
      {
        post: {
          operationId: `receive-${event.replaceAll(/[._]/g, '-')}`,
          tags: ['webhooks'],
          summary: event,
          description: `${trigger}

Sent once and never retried, with a timeout of 5 seconds. A receiver computes the HMAC-SHA256 of the raw body with the
webhook’s signing secret and compares it with the signature in constant time.`,
          security: [],
          parameters: [
            header(
              'X-Service-Signature',
              '`sha256=<hex>`: HMAC-SHA256 of the raw body, keyed with the webhook’s signing secret.',
              `sha256=${'0123456789abcdef'.repeat(4)}`,
            ),
            header('X-Service-Event', 'The event name.', event),
            header('X-Service-Delivery', 'The delivery’s identifier.', '0d4e8b6f-7c21-4a95-9e38-5f1b2c7d6a03'),
          ],
          requestBody: {
            required: true,
            content: {
              'application/json': {
                schema,
                example: { ...eventPayloadExample, ...payloadExamples[event], event } as unknown as JsonObject,
              },
            },
          },
          responses: {
            '2XX': { description: 'Logged as a success; the body is ignored.' },
            default: { description: 'Logged as a failure; redirects are not followed.' },
          },
        },
      },
    ]),
  );
}
