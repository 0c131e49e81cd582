import { randomUUID } from 'node:crypto';
import type { EventPayload } from '#lib/contracts/fields/events.ts';
import type { DeliveryMessage } from '#lib/deliveries/message.ts';

/** A delivery to the webhook as it is queued, about a key that was changed. */
export function deliveryMessage(
  organization: { id: string; slug: string },
  webhookId: string,
  createdAt = new Date().toISOString(),
  metadata: EventPayload['metadata'] = { version: 1, revision: 1 },
): DeliveryMessage {
  const event = 'secret.updated';
  const content = {
    event,
    timestamp: createdAt,
    org: { id: organization.id },
    project: { id: randomUUID(), slug: 'shop' },
    environment: { id: randomUUID(), slug: 'dev' },
    key: 'A',
    actor: { id: randomUUID(), email: 'ada@example.com' },
    metadata,
  } as const;
  const payload = { kind: 'whole', content } as const;
  return { deliveryId: randomUUID(), event, createdAt, orgSlug: organization.slug, webhookId, payload };
}
