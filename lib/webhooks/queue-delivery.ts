import { randomUUID } from 'node:crypto';
import type { MemberContext } from '../access/request-context.ts';
import { type EventPayload, manyKeys, pingEvent } from '../contracts/fields/events.ts';
import { ApiError, temporarilyUnavailable } from '../core/errors.ts';
import { textOf } from '../deliveries/payload.ts';
import { payloadFor, queueDeliveries } from '../deliveries/queue-deliveries.ts';
import { putAlone } from '../table/write.ts';
import { getWebhook, requireWebhook, webhookTarget } from './webhooks.ts';

/** The project and environment in a ping of a webhook that is not limited to one. */
const nowhere = { id: '00000000-0000-0000-0000-000000000000', slug: 'ping' };

/**
 * Queues a ping, even for an inactive webhook. @returns the delivery's id, to find it in the webhook's log
 * @throws webhook_not_found; temporarily_unavailable if the queue rejects the message
 */
export async function testWebhook(context: MemberContext, webhookId: string): Promise<string> {
  const { principal } = context;
  const webhook = await requireWebhook(context, webhookId);
  const createdAt = new Date().toISOString();
  const content = {
    event: pingEvent,
    timestamp: createdAt,
    org: { id: webhook.organizationId },
    project: webhook.project ?? nowhere,
    environment: webhook.environment ?? nowhere,
    key: manyKeys,
    actor: { id: principal.userId, email: principal.email },
    metadata: {},
  } satisfies EventPayload;
  const entry = await context.audit({ action: 'webhook.tested', target: webhookTarget(webhook) });
  const deliveryId = randomUUID();
  const payload = payloadFor(webhook, content);
  const { event } = content;
  const message = { deliveryId, event, createdAt, orgSlug: webhook.orgSlug, webhookId, payload };
  const [lost] = await Promise.all([queueDeliveries([message]), putAlone(entry)]);
  if (lost.length > 0) throw temporarilyUnavailable('The ping could not be queued. Send the request again.');
  return deliveryId;
}

/**
 * Queues what a delivery sent, as a new delivery to the webhook's current URL.
 * @throws webhook_not_found, delivery_not_found, webhook_inactive, not_redeliverable; temporarily_unavailable if the
 * queue rejects the message
 */
export async function redeliverWebhook(
  context: MemberContext,
  { webhookId, deliveryId }: { webhookId: string; deliveryId: string },
) {
  const { webhook, deliveries } = await getWebhook(context, webhookId);
  const original = deliveries.find(({ id }) => id === deliveryId);
  if (original === undefined) {
    throw new ApiError('delivery_not_found', 'This webhook’s log has no such delivery. It keeps the last 20.');
  }
  if (!webhook.active) throw new ApiError('webhook_inactive', 'This webhook is inactive. Activate it first.');
  const { event, payload } = original;
  // A stored payload expires before the entry does.
  if (payload === undefined || (await textOf(payload)) === undefined) {
    const reason = 'The body of this delivery is no longer stored, so it can’t be sent again.';
    throw new ApiError('not_redeliverable', reason);
  }
  const id = randomUUID();
  const createdAt = new Date().toISOString();
  // The receiver has only seen the id of the first delivery.
  const redeliveryOf = original.redeliveryOf ?? original.id;
  const entry = await context.audit({
    action: 'webhook.redelivered',
    target: webhookTarget(webhook),
    details: { deliveryId: id, redeliveryOf },
  });
  const message = { deliveryId: id, event, createdAt, orgSlug: webhook.orgSlug, webhookId, payload, redeliveryOf };
  const [lost] = await Promise.all([queueDeliveries([message]), putAlone(entry)]);
  if (lost.length > 0) throw temporarilyUnavailable('The delivery could not be queued. Send the request again.');
  return { id, event, createdAt, redeliveryOf };
}
