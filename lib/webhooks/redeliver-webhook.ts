import { randomUUID } from 'node:crypto';
import type { MemberContext } from '../access/request-context.ts';
import { ApiError, temporarilyUnavailable } from '../core/errors.ts';
import { textOf } from '../deliveries/payload.ts';
import { queueDeliveries } from '../deliveries/queue-deliveries.ts';
import { putAlone } from '../table/write.ts';
import { getWebhook, webhookTarget } from './read-webhooks.ts';

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
  // Its pieces, if it was stored, expire before the entry does.
  if (payload === undefined || (await textOf(payload)) === undefined) {
    throw new ApiError('not_redeliverable', 'What this delivery sent is no longer known, so it can’t be sent again.');
  }
  const id = randomUUID();
  const createdAt = new Date().toISOString();
  // A receiver that looks for the event it missed knows the first delivery, not the attempts since.
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
