import type { MemberContext } from '../access/request-context.ts';
import type { Key } from '../table/entity.ts';
import { equals, isThere } from '../table/expressions.ts';
import { ranges } from '../table/keys.ts';
import { organizationRecord } from '../table/records/organization.ts';
import { webhookRecord } from '../table/records/webhook.ts';
import { at, queryPage, remove, transact, update } from '../table/store.ts';
import { requireWebhook } from './read-webhooks.ts';
import { webhookNotFound, webhookTarget } from './webhook-target.ts';

/** The sender keeps fewer log entries, and this many fit the transaction. */
const loggedAtMost = 80;

/** Deletes the webhook with its log. What is queued for it is dropped. */
export async function deleteWebhook(context: MemberContext, webhookId: string): Promise<void> {
  const { organization } = context;
  const [webhook, log] = await Promise.all([
    requireWebhook(context, webhookId),
    queryPage({ ...ranges.deliveries(webhookId), attributes: ['pk', 'sk'], pageSize: loggedAtMost }),
  ]);
  await transact([
    ...(log.items as unknown as Key[]).map(key => remove({ key })),
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
