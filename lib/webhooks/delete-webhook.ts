import { actorOf, auditWrite } from '../audit/audit-write.ts';
import type { MemberAccess } from '../http/access.ts';
import type { RequestSource } from '../http/request.ts';
import { organizationRecord } from '../organizations/records.ts';
import { isThere } from '../table/expressions.ts';
import { at, remove, transact, update } from '../table/store.ts';
import { requireWebhook } from './read-webhooks.ts';
import { webhookRecord } from './records.ts';
import { webhookNotFound, webhookTarget } from './webhook-view.ts';

/** Deletes the webhook. What is queued for it is dropped; its log can no longer be reached and expires. */
export async function deleteWebhook(access: MemberAccess, source: RequestSource, webhookId: string): Promise<void> {
  const { organization, principal } = access;
  const webhook = await requireWebhook(access, webhookId);
  await transact([
    remove(at(webhookRecord, organization.slug, webhook.id), { if: isThere, refused: webhookNotFound }),
    update(at(organizationRecord, organization.slug), { add: { webhookCount: -1 } }, { if: isThere }),
    await auditWrite(organization, actorOf(principal), source, {
      action: 'webhook.deleted',
      target: webhookTarget(webhook),
    }),
  ]);
}
