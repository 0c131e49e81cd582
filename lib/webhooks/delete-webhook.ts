import type { MemberContext } from '../access/request-context.ts';
import { equals, isThere } from '../table/expressions.ts';
import { at } from '../table/read.ts';
import { organizationRecord } from '../table/records/organization.ts';
import { webhookRecord } from '../table/records/webhook.ts';
import { remove, transact, update } from '../table/write.ts';
import { requireWebhook } from './read-webhooks.ts';
import { removeLog } from './remove-log.ts';
import { webhookNotFound, webhookTarget } from './webhook-target.ts';

/** Deletes the webhook with its delivery log. Queued deliveries are dropped. */
export async function deleteWebhook(context: MemberContext, webhookId: string): Promise<void> {
  const { organization } = context;
  const [webhook, log] = await Promise.all([requireWebhook(context, webhookId), removeLog(webhookId)]);
  await transact([
    ...log,
    remove(at(webhookRecord, organization.slug, webhook.id), { if: isThere, refused: webhookNotFound }),
    update(
      at(organizationRecord, organization.slug),
      { add: { webhookCount: -1 } },
      { if: { id: equals(organization.id) }, refused: webhookNotFound },
    ),
    await context.audit({
      action: 'webhook.deleted',
      target: webhookTarget(webhook),
    }),
  ]);
}
