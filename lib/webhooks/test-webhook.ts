import type { MemberContext } from '../access/request-context.ts';
import { type EventPayload, manyKeys, pingEvent } from '../contracts/fields/events.ts';
import { temporarilyUnavailable } from '../core/errors.ts';
import { deliveriesOf, queueDeliveries } from '../deliveries/queue-deliveries.ts';
import type { WebhookRecord } from '../table/records/webhook.ts';
import { putAlone } from '../table/write.ts';
import { requireWebhook, webhookTarget } from './read-webhooks.ts';

/** The project and environment in a ping of a webhook that is not limited to one. */
const nowhere = { id: '00000000-0000-0000-0000-000000000000', slug: 'ping' };

/** The body of a test ping. All fields are present. Pure. */
export function pingPayload(
  { organizationId, project, environment }: WebhookRecord,
  actor: EventPayload['actor'],
  timestamp: string,
): EventPayload {
  return {
    event: pingEvent,
    timestamp,
    org: { id: organizationId },
    project: project ?? nowhere,
    environment: environment ?? nowhere,
    key: manyKeys,
    actor,
    metadata: {},
  };
}

/**
 * Queues a ping, even for an inactive webhook. @returns the delivery's id, to find it in the webhook's log
 * @throws webhook_not_found; temporarily_unavailable if the queue rejects the message
 */
export async function testWebhook(context: MemberContext, webhookId: string): Promise<string> {
  const { principal } = context;
  const webhook = await requireWebhook(context, webhookId);
  const actor = { id: principal.userId, email: principal.email };
  const [delivery] = deliveriesOf(pingPayload(webhook, actor, new Date().toISOString()), [webhook]);
  if (delivery === undefined) throw new Error('A ping has one delivery.');
  const entry = await context.audit({ action: 'webhook.tested', target: webhookTarget(webhook) });
  const [lost] = await Promise.all([queueDeliveries([delivery]), putAlone(entry)]);
  if (lost.length > 0) throw temporarilyUnavailable('The ping could not be queued. Send the request again.');
  return delivery.deliveryId;
}
