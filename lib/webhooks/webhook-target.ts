import type { AuditFacts } from '../audit/write.ts';
import { ApiError, invalidRequest } from '../core/errors.ts';
import { settings } from '../core/settings.ts';
import { targetProblem } from '../deliveries/target.ts';
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
  const problem = targetProblem(url, { allowLoopback: settings().WEBHOOK_ALLOW_LOOPBACK });
  if (problem !== undefined) throw invalidRequest([{ path: 'url', message: problem }]);
}
