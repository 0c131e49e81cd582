import type { MemberContext } from '../access/request-context.ts';
import type { Key } from '../table/entity.ts';
import { equals, isThere } from '../table/expressions.ts';
import { ranges } from '../table/keys.ts';
import { at, queryPage } from '../table/read.ts';
import { organizationRecord } from '../table/records/organization.ts';
import { webhookRecord } from '../table/records/webhook.ts';
import { remove, transact, update, type Write } from '../table/write.ts';
import { requireWebhook, webhookNotFound, webhookTarget } from './read-webhooks.ts';

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
    await context.audit({ action: 'webhook.deleted', target: webhookTarget(webhook) }),
  ]);
}

/** The sender keeps fewer log entries than this, and this many fit in the transaction. */
const loggedAtMost = 80;

/**
 * The writes that remove a webhook's log, for the transaction that deletes the webhook. Without the webhook, its
 * entries could not be found.
 */
export async function removeLog(webhookId: string): Promise<Write[]> {
  const { items } = await queryPage({
    ...ranges.deliveries(webhookId),
    attributes: ['pk', 'sk'],
    pageSize: loggedAtMost,
  });
  return (items as unknown as Key[]).map(key => remove({ key }));
}
