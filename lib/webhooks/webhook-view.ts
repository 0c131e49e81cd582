import type { AuditFacts } from '../audit/audit-write.ts';
import { ApiError } from '../http/errors.ts';
import type { Delivery, Webhook } from './contracts.ts';
import type { DeliveryRecord, WebhookRecord } from './records.ts';

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
