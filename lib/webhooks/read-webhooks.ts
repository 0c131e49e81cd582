import type { MemberContext } from '../access/request-context.ts';
import type { AuditFacts } from '../audit/write.ts';
import { ApiError, invalidRequest } from '../core/errors.ts';
import { keptDeliveries } from '../deliveries/log-delivery.ts';
import { findWebhooks } from '../deliveries/publish.ts';
import { targetProblem } from '../outbound/target.ts';
import { ranges } from '../table/keys.ts';
import { at, find, queryPage } from '../table/read.ts';
import { type DeliveryRecord, deliveryRecord, type WebhookRecord, webhookRecord } from '../table/records/webhook.ts';

/** The organization's webhooks, oldest first. */
export async function listWebhooks({ organization }: MemberContext): Promise<WebhookRecord[]> {
  const webhooks = await findWebhooks(organization.slug);
  return webhooks
    .filter(({ organizationId }) => organizationId === organization.id)
    .sort((a, b) => compare(a.createdAt, b.createdAt) || compare(a.id, b.id));
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

/** @throws webhook_not_found */
export async function requireWebhook({ organization }: MemberContext, webhookId: string): Promise<WebhookRecord> {
  const webhook = await find(at(webhookRecord, organization.slug, webhookId));
  if (webhook?.organizationId !== organization.id) throw webhookNotFound();
  return webhook;
}

/** The webhook and its latest deliveries, newest first. @throws webhook_not_found */
export async function getWebhook(
  context: MemberContext,
  webhookId: string,
): Promise<{ webhook: WebhookRecord; deliveries: DeliveryRecord[] }> {
  const [webhook, page] = await Promise.all([
    requireWebhook(context, webhookId),
    queryPage({ ...ranges.deliveries(webhookId), newestFirst: true, pageSize: keptDeliveries }),
  ]);
  return { webhook, deliveries: page.items.map(deliveryRecord.parse) };
}

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
