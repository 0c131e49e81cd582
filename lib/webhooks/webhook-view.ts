import type { AuditFacts } from '../access/audit-write.ts';
import type { Delivery, Webhook } from '../contracts/webhooks.ts';
import { ApiError } from '../core/errors.ts';
import type { DeliveryRecord } from '../table/records/delivery.ts';
import type { WebhookRecord } from '../table/records/webhook.ts';

/** The webhook as the API shows it, member by member: its sealed secret stays here. */
export function webhookView(webhook: WebhookRecord): Webhook {
  const { id, url, events, projectId, environmentId, active, createdAt, updatedAt } = webhook;
  return { id, url, events, projectId, environmentId, active, createdAt, updatedAt };
}

export function deliveryView(delivery: DeliveryRecord): Delivery {
  const { id, event, statusCode, success, responseTimeMs, error, createdAt } = delivery;
  return { id, event, statusCode, success, responseTimeMs, error, createdAt };
}

/** The webhook in the audit log, by its host: paths and queries of such URLs are often credentials themselves. */
export function webhookTarget({ id, url }: Pick<WebhookRecord, 'id' | 'url'>): AuditFacts['target'] {
  return { type: 'webhook', id, name: new URL(url).host };
}

export function webhookNotFound(): ApiError {
  return new ApiError('webhook_not_found', 'There is no such webhook in this organization.');
}
