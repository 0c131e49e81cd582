import { isDeepStrictEqual } from 'node:util';
import type { MemberContext } from '../access/request-context.ts';
import type { BodyOf } from '../contracts/contract.ts';
import type { updateWebhook as contract } from '../contracts/webhooks/webhooks.ts';
import { laterThan } from '../core/time.ts';
import { equals } from '../table/expressions.ts';
import { at } from '../table/read.ts';
import { type WebhookRecord, webhookRecord } from '../table/records/webhook.ts';
import { put, retryOnConditionFailed, transact } from '../table/write.ts';
import { findScope, type Places, readPlaces, type Scope, scopeChecks } from './find-scope.ts';
import { requireTarget, requireWebhook, webhookTarget } from './read-webhooks.ts';

type WebhookChanges = BodyOf<typeof contract>;

/**
 * Changes the given fields. An unchanged scope is not looked up again, because it may name something deleted. If one
 * part of the scope changes, project and environment must still belong together.
 * @throws webhook_not_found, invalid_request for a forbidden target, project_not_found, environment_not_found
 */
export async function updateWebhook(
  context: MemberContext,
  webhookId: string,
  changes: WebhookChanges,
): Promise<WebhookRecord> {
  const { organization } = context;
  if (changes.url !== undefined) requireTarget(changes.url);
  return retryOnConditionFailed(async () => {
    const [webhook, places] = await Promise.all([
      requireWebhook(context, webhookId),
      readPlaces(organization.slug, changes.projectId !== undefined || changes.environmentId !== undefined),
    ]);
    const scope = changedScope(webhook, changes, places);
    const changed: WebhookRecord = {
      ...webhook,
      url: changes.url ?? webhook.url,
      events: changes.events ?? webhook.events,
      active: changes.active ?? webhook.active,
      ...scope,
      updatedAt: laterThan(webhook.updatedAt),
    };
    if (isDeepStrictEqual(changed, { ...webhook, updatedAt: changed.updatedAt })) return webhook;
    await transact([
      // Only if it is unchanged since it was read, so this neither overwrites another change nor revives a deleted
      // webhook.
      put(at(webhookRecord, organization.slug, webhook.id), changed, {
        if: { updatedAt: equals(webhook.updatedAt) },
      }),
      ...(scope === undefined ? [] : scopeChecks(organization.slug, scope)),
      await context.audit({ action: 'webhook.updated', target: webhookTarget(changed) }),
    ]);
    return changed;
  });
}

/** The scope after the change; undefined if it stays the same. */
function changedScope(
  webhook: WebhookRecord,
  { projectId, environmentId }: WebhookChanges,
  places: Places,
): Scope | undefined {
  const ids = {
    projectId: projectId === undefined ? webhook.projectId : projectId,
    environmentId: environmentId === undefined ? webhook.environmentId : environmentId,
  };
  const stays = ids.projectId === webhook.projectId && ids.environmentId === webhook.environmentId;
  return stays ? undefined : findScope(places, ids);
}
