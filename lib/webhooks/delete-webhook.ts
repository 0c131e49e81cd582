import { actorOf, auditWrite } from '../access/audit-write.ts';
import type { MemberAccess } from '../access/member-access.ts';
import type { RequestSource } from '../core/request-source.ts';
import { isThere } from '../table/expressions.ts';
import { organizationRecord } from '../table/records/organization.ts';
import { webhookRecord } from '../table/records/webhook.ts';
import { at, remove, transact, update } from '../table/store.ts';
import { requireWebhook } from './read-webhooks.ts';
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
