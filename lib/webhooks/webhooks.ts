import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { MemberContext } from '../access/request-context.ts';
import type { AuditFacts } from '../audit/write.ts';
import type { BodyOf } from '../contracts/contract.ts';
import type { updateWebhook as change, createWebhook as creation } from '../contracts/webhooks/webhooks.ts';
import { ApiError, invalidRequest } from '../core/errors.ts';
import { laterThan } from '../core/time.ts';
import { keptDeliveries } from '../deliveries/log-delivery.ts';
import { findWebhooks } from '../deliveries/publish.ts';
import { createSigningSecret, sealSigningSecret } from '../deliveries/signing-secret.ts';
import { growOrganization } from '../organizations/change-counts.ts';
import { targetProblem } from '../outbound/target.ts';
import { effectiveLimits, readPlanConfigs } from '../plans/effective-limits.ts';
import type { Key } from '../table/entity.ts';
import { equals, isNew, isThere } from '../table/expressions.ts';
import { ranges } from '../table/keys.ts';
import { at, find, queryPage } from '../table/read.ts';
import { organizationRecord } from '../table/records/organization.ts';
import { type DeliveryRecord, deliveryRecord, type WebhookRecord, webhookRecord } from '../table/records/webhook.ts';
import { asRevocation } from '../table/revocations.ts';
import { put, remove, retryOnConditionFailed, transact, update, type Write } from '../table/write.ts';
import { findScope, readPlaces, scopeChecks } from './find-scope.ts';

/** The organization's webhooks, oldest first. */
export async function listWebhooks({ organization }: MemberContext): Promise<WebhookRecord[]> {
  const webhooks = await findWebhooks(organization.slug);
  const sortKey = ({ createdAt, id }: WebhookRecord) => `${createdAt} ${id}`;
  return webhooks
    .filter(({ organizationId }) => organizationId === organization.id)
    .sort((a, b) => (sortKey(a) < sortKey(b) ? -1 : 1));
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

/**
 * Creates a webhook. Only this response contains its signing secret.
 * @throws invalid_request for a forbidden target, project_not_found, environment_not_found, plan_limit_exceeded
 */
export async function createWebhook(
  context: MemberContext,
  { url, events, format, ...ids }: BodyOf<typeof creation>,
): Promise<{ webhook: WebhookRecord; signingSecret: string }> {
  const { organization, principal } = context;
  const { projectId = null, environmentId = null } = ids;
  requireTarget(url);
  const id = randomUUID();
  const signingSecret = createSigningSecret();
  const [places, configs, sealedSecret] = await Promise.all([
    readPlaces(organization.slug, projectId !== null || environmentId !== null),
    readPlanConfigs(),
    sealSigningSecret(signingSecret, { organizationId: organization.id, id }),
  ]);
  const scope = findScope(places, { projectId, environmentId });
  const { maxWebhooks } = effectiveLimits(organization, configs).effective;
  const createdAt = new Date().toISOString();
  const webhook: WebhookRecord = {
    id,
    organizationId: organization.id,
    orgSlug: organization.slug,
    url,
    events,
    format,
    ...scope,
    active: true,
    sealedSecret,
    createdAt,
    createdBy: { id: principal.userId, email: principal.email },
    updatedAt: createdAt,
  };
  await transact([
    growOrganization(organization, 'webhookCount', 'maxWebhooks', maxWebhooks),
    put(at(webhookRecord, organization.slug, id), webhook, { if: isNew }),
    ...scopeChecks(organization.slug, scope),
    await context.audit({ action: 'webhook.created', target: webhookTarget(webhook) }),
  ]);
  return { webhook, signingSecret };
}

/**
 * Changes the given fields. An unchanged scope is not looked up again, because it may name something deleted. If one
 * part of the scope changes, project and environment must still belong together.
 * @throws webhook_not_found, invalid_request for a forbidden target, project_not_found, environment_not_found
 */
export async function updateWebhook(
  context: MemberContext,
  webhookId: string,
  { url, events, format, active, projectId, environmentId }: BodyOf<typeof change>,
): Promise<WebhookRecord> {
  const { slug } = context.organization;
  if (url !== undefined) requireTarget(url);
  return retryOnConditionFailed(async () => {
    const [webhook, places] = await Promise.all([
      requireWebhook(context, webhookId),
      readPlaces(slug, projectId !== undefined || environmentId !== undefined),
    ]);
    const scopeIds = {
      projectId: projectId === undefined ? webhook.projectId : projectId,
      environmentId: environmentId === undefined ? webhook.environmentId : environmentId,
    };
    const isSameScope = scopeIds.projectId === webhook.projectId && scopeIds.environmentId === webhook.environmentId;
    const scope = isSameScope ? undefined : findScope(places, scopeIds);
    const changed: WebhookRecord = {
      ...webhook,
      url: url ?? webhook.url,
      events: events ?? webhook.events,
      format: format ?? webhook.format,
      active: active ?? webhook.active,
      ...scope,
      updatedAt: laterThan(webhook.updatedAt),
    };
    if (isDeepStrictEqual(changed, { ...webhook, updatedAt: changed.updatedAt })) return webhook;
    await transact([
      // The condition keeps this from overwriting another change or restoring a deleted webhook.
      put(at(webhookRecord, slug, webhook.id), changed, { if: { updatedAt: equals(webhook.updatedAt) } }),
      ...(scope === undefined ? [] : scopeChecks(slug, scope)),
      await context.audit({ action: 'webhook.updated', target: webhookTarget(changed) }),
    ]);
    return changed;
  });
}

/** Deletes the webhook with its delivery log. Queued deliveries are dropped. */
export async function deleteWebhook(context: MemberContext, webhookId: string): Promise<void> {
  const { id, slug } = context.organization;
  const [webhook, log] = await Promise.all([requireWebhook(context, webhookId), removeLog(webhookId)]);
  const writes = [
    ...log,
    remove(at(webhookRecord, slug, webhook.id), { if: isThere, refused: webhookNotFound }),
    update(
      at(organizationRecord, slug),
      { add: { webhookCount: -1 } },
      { if: { id: equals(id) }, refused: webhookNotFound },
    ),
    await context.audit({ action: 'webhook.deleted', target: webhookTarget(webhook) }),
  ];
  await transact(asRevocation(writes));
}

/** More than the sender keeps, and few enough for the transaction. */
const loggedAtMost = 80;

/** The writes that remove a webhook's log, for the transaction that deletes the webhook. */
export async function removeLog(webhookId: string): Promise<Write[]> {
  const range = { ...ranges.deliveries(webhookId), attributes: ['pk', 'sk'], pageSize: loggedAtMost };
  const { items } = await queryPage(range);
  return (items as unknown as Key[]).map(key => remove({ key }));
}

/** The webhook in the audit log, identified by host: paths and queries of such URLs often contain credentials. */
export function webhookTarget({ id, url }: Pick<WebhookRecord, 'id' | 'url'>): AuditFacts['target'] {
  return { type: 'webhook', id, name: new URL(url).host };
}

function webhookNotFound(): ApiError {
  return new ApiError('webhook_not_found', 'There is no such webhook in this organization.');
}

/** @throws invalid_request if the text of the URL shows that it is not an allowed target */
function requireTarget(url: string): void {
  const problem = targetProblem(url);
  if (problem !== undefined) throw invalidRequest([{ path: 'url', message: problem }]);
}
