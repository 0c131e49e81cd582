import type { AuditFacts } from '../access/audit-write.ts';
import { ApiError, invalidRequest } from '../core/errors.ts';
import { targetProblem } from '../outbound/target.ts';
import type { WebhookRecord } from '../table/records/webhook.ts';

/** The webhook in the audit log, identified by host: paths and queries of such URLs often contain credentials. */
export function webhookTarget({ id, url }: Pick<WebhookRecord, 'id' | 'url'>): AuditFacts['target'] {
  return { type: 'webhook', id, name: new URL(url).host };
}

export function webhookNotFound(): ApiError {
  return new ApiError('webhook_not_found', 'There is no such webhook in this organization.');
}

/** @throws invalid_request if the text of the URL shows that it is not an allowed target */
export function requireTarget(url: string): void {
  const problem = targetProblem(url);
  if (problem !== undefined) throw invalidRequest([{ path: 'url', message: problem }]);
}
