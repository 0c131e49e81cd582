import type { MemberAccess } from '../access/member-access.ts';
import type { Delivery, Webhook } from '../contracts/webhooks.ts';
import { findWebhooks } from '../deliveries/publish.ts';
import { ranges } from '../table/keys.ts';
import { deliveryRecord } from '../table/records/delivery.ts';
import { type WebhookRecord, webhookRecord } from '../table/records/webhook.ts';
import { at, find, queryPage } from '../table/store.ts';
import { deliveryView, webhookNotFound, webhookView } from './webhook-view.ts';

/** How many deliveries are shown with a webhook (specification, Events 6). */
const shownDeliveries = 20;

/** The organization's webhooks, oldest first. */
export async function listWebhooks({ organization }: MemberAccess): Promise<Webhook[]> {
  const webhooks = await findWebhooks(organization.slug);
  return webhooks.sort((a, b) => compare(a.createdAt, b.createdAt) || compare(a.id, b.id)).map(webhookView);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

/** @throws webhook_not_found */
export async function requireWebhook({ organization }: MemberAccess, webhookId: string): Promise<WebhookRecord> {
  const webhook = await find(at(webhookRecord, organization.slug, webhookId.toLowerCase()));
  if (webhook === undefined) throw webhookNotFound();
  return webhook;
}

/** The webhook and its last deliveries, newest first. @throws webhook_not_found */
export async function getWebhook(
  access: MemberAccess,
  webhookId: string,
): Promise<{ webhook: Webhook; deliveries: Delivery[] }> {
  const [webhook, page] = await Promise.all([
    requireWebhook(access, webhookId),
    queryPage({ ...ranges.deliveries(webhookId.toLowerCase()), newestFirst: true, pageSize: shownDeliveries }),
  ]);
  const now = Date.now() / 1000;
  const deliveries = page.items.map(deliveryRecord.parse).filter(({ expiresAt }) => expiresAt > now);
  return { webhook: webhookView(webhook), deliveries: deliveries.map(deliveryView) };
}
