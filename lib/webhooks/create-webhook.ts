import { randomUUID } from 'node:crypto';
import type { MemberContext } from '../access/request-context.ts';
import type { BodyOf } from '../contracts/contract.ts';
import type { createWebhook as contract } from '../contracts/webhooks/webhooks.ts';
import { createSigningSecret, sealSigningSecret } from '../deliveries/signing-secret.ts';
import { growOrganization } from '../organizations/change-counts.ts';
import { effectiveLimits, readPlanConfigs } from '../plans/effective-limits.ts';
import { isNew } from '../table/expressions.ts';
import { at } from '../table/read.ts';
import { type WebhookRecord, webhookRecord } from '../table/records/webhook.ts';
import { put, transact } from '../table/write.ts';
import { findScope, readPlaces, scopeChecks } from './find-scope.ts';
import { requireTarget, webhookTarget } from './read-webhooks.ts';

/**
 * Creates a webhook. Only this response contains its signing secret.
 * @throws invalid_request for a forbidden target, project_not_found, environment_not_found, plan_limit_exceeded
 */
export async function createWebhook(
  context: MemberContext,
  requested: BodyOf<typeof contract>,
): Promise<{ webhook: WebhookRecord; signingSecret: string }> {
  const { organization, principal } = context;
  requireTarget(requested.url);
  const id = randomUUID();
  const signingSecret = createSigningSecret();
  const limits = { projectId: requested.projectId ?? null, environmentId: requested.environmentId ?? null };
  const [places, configs, sealedSecret] = await Promise.all([
    readPlaces(organization.slug, limits.projectId !== null || limits.environmentId !== null),
    readPlanConfigs(),
    sealSigningSecret(signingSecret, { organizationId: organization.id, id }),
  ]);
  const scope = findScope(places, limits);
  const { maxWebhooks } = effectiveLimits(organization, configs).effective;
  const createdAt = new Date().toISOString();
  const webhook: WebhookRecord = {
    id,
    organizationId: organization.id,
    orgSlug: organization.slug,
    url: requested.url,
    events: requested.events,
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
