import type { AuditFacts } from '../access/audit-write.ts';
import { ApiError } from '../core/errors.ts';
import type { WebhookRecord } from '../table/records/webhook.ts';

/** The webhook in the audit log, by its host: paths and queries of such URLs are often credentials themselves. */
export function webhookTarget({ id, url }: Pick<WebhookRecord, 'id' | 'url'>): AuditFacts['target'] {
  return { type: 'webhook', id, name: new URL(url).host };
}

export function webhookNotFound(): ApiError {
  return new ApiError('webhook_not_found', 'There is no such webhook in this organization.');
}
