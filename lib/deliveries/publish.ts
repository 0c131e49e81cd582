import type { EventName, EventPayload } from '../contracts/fields/events.ts';
import type { Log } from '../core/logger.ts';
import { ranges } from '../table/keys.ts';
import { list } from '../table/read.ts';
import { type WebhookRecord, webhookRecord } from '../table/records/webhook.ts';
import { deliveriesOf, queueOrLogDeliveries } from './queue-deliveries.ts';

/** A change of secrets: names of keys only, never a value. */
export interface SecretEvent extends Pick<EventPayload, 'project' | 'environment' | 'key' | 'actor' | 'metadata'> {
  organizationId: string;
  event: EventName;
}

/** All webhooks of the organization. One call, to start in parallel with authentication. */
export async function findWebhooks(orgSlug: string): Promise<WebhookRecord[]> {
  return list(webhookRecord, ranges.webhooks(orgSlug));
}

/**
 * Whether the webhook is active, subscribed, and limited to nothing else. Webhooks are looked up by the organization's
 * slug, which another organization may own by now; that organization's webhooks never fire. Pure.
 */
export function firesFor(
  webhook: WebhookRecord,
  happened: Pick<SecretEvent, 'organizationId' | 'event' | 'project' | 'environment'>,
): boolean {
  return (
    webhook.organizationId === happened.organizationId &&
    webhook.active &&
    webhook.events.includes(happened.event) &&
    (webhook.projectId === null || webhook.projectId === happened.project.id) &&
    (webhook.environmentId === null || webhook.environmentId === happened.environment.id)
  );
}

/**
 * Queues one delivery for each webhook that fires. Never throws, because the change is committed. Makes no call if no
 * webhook fires.
 */
export async function publishSecretEvent(
  happened: SecretEvent,
  webhooks: readonly WebhookRecord[],
  log: Log,
): Promise<void> {
  const { organizationId, project, environment, event, key, actor, metadata } = happened;
  const firing = webhooks.filter(webhook => firesFor(webhook, happened));
  if (firing.length === 0) return;
  // Copies the fields one by one, so that no other property of a caller's object is sent.
  const payload: EventPayload = {
    event,
    timestamp: new Date().toISOString(),
    org: { id: organizationId },
    project: { id: project.id, slug: project.slug },
    environment: { id: environment.id, slug: environment.slug },
    key,
    actor: { id: actor.id, email: actor.email },
    metadata,
  };
  await queueOrLogDeliveries(deliveriesOf(payload, firing), log);
}
