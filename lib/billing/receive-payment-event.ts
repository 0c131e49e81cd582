import * as z from 'zod';
import type { RequestContext } from '../access/request-context.ts';
import { earlierRetentions } from '../audit/retention.ts';
import { auditWrite, systemActor } from '../audit/write.ts';
import { problemsOf } from '../contracts/fields/messages.ts';
import { invalidRequest } from '../core/errors.ts';
import type { Log } from '../core/logger.ts';
import type { RequestSource } from '../core/request-source.ts';
import { expiryAfter } from '../core/time.ts';
import { asRead, isNew } from '../table/expressions.ts';
import { at, readAll, readTogether } from '../table/read.ts';
import { isCounted } from '../table/records/kept.ts';
import {
  type OrganizationRecord,
  organizationPointerRecord,
  organizationRecord,
} from '../table/records/organization.ts';
import {
  customerRecord,
  paymentEventKeptSeconds,
  paymentEventRecord,
  planConfigsRecord,
} from '../table/records/platform.ts';
import { put, remove, retryOnConditionFailed, transact, update, type Write } from '../table/write.ts';
import { type PaymentEvent, readPaymentEvent } from './payment-event.ts';
import { verifiedEvent } from './payment-provider.ts';
import { configuredPrices } from './prices.ts';
import { applyUpdate, type SubscriptionUpdate } from './subscription-update.ts';

/**
 * Handles an event from the payment provider. Each event takes effect once: one transaction writes the effect and
 * records the event. Ignored event types and events for organizations that don't exist are acknowledged; otherwise the
 * provider would keep resending them.
 * @throws invalid_signature; invalid_request for a signed event of an unknown shape: the provider resends it, and a
 * later version of the service may understand it
 */
export async function receivePaymentEvent(
  { source, log }: RequestContext,
  rawBody: string,
  signature: string | undefined,
): Promise<void> {
  const event = understand(await verifiedEvent(rawBody, signature), log);
  const { update: subscription } = event;
  if (subscription === undefined) return;
  await retryOnConditionFailed(async () => {
    const { organization, isHandled, ...stored } = await findOrganization(event);
    if (isHandled) return;
    if (organization === undefined) {
      log.warn('a payment event names no existing organization', { eventId: event.id, eventType: event.type });
      return;
    }
    await transact(await effectOf({ ...stored, event, subscription, organization, source }));
  });
}

function understand(payload: unknown, log: Log): PaymentEvent {
  try {
    return readPaymentEvent(payload, configuredPrices());
  } catch (error) {
    if (!(error instanceof z.ZodError)) throw error;
    log.error('a signed payment event does not have its documented shape', error);
    throw invalidRequest(error.issues.slice(0, 100).flatMap(problemsOf));
  }
}

/** Finds the organization of an event: the first one that it names, or else that of its customer. */
async function findOrganization(event: PaymentEvent) {
  const [{ handled, customer, configs }, pointers] = await Promise.all([
    readTogether({
      handled: at(paymentEventRecord, event.id),
      customer: event.customerId === null ? undefined : at(customerRecord, event.customerId),
      configs: at(planConfigsRecord),
    }),
    readAll(event.organizationIds.map(id => at(organizationPointerRecord, id))),
  ]);
  const stored = { isHandled: handled !== undefined, hasCustomer: customer !== undefined, configs };
  if (handled !== undefined) return { ...stored, organization: undefined };
  const candidates = event.organizationIds.flatMap((id, index) => {
    const pointer = pointers[index];
    return pointer === undefined ? [] : [{ id, slug: pointer.orgSlug }];
  });
  if (customer !== undefined) candidates.push({ id: customer.organizationId, slug: customer.orgSlug });
  const organizations = await readAll(candidates.map(({ slug }) => at(organizationRecord, slug)));
  const organization = organizations.find(
    (record, index) => record !== undefined && isCounted(record) && record.id === candidates[index]?.id,
  );
  return { ...stored, organization };
}

interface Effect extends Pick<Awaited<ReturnType<typeof findOrganization>>, 'hasCustomer' | 'configs'> {
  event: PaymentEvent;
  subscription: SubscriptionUpdate;
  organization: OrganizationRecord;
  source: RequestSource;
}

async function effectOf(effect: Effect): Promise<Write[]> {
  const { event, subscription, organization, hasCustomer, configs, source } = effect;
  const { id: organizationId, slug, name, plan } = organization;
  const times = { receivedAt: new Date().toISOString(), expiresAt: expiryAfter(paymentEventKeptSeconds) };
  const note = put(at(paymentEventRecord, event.id), { type: event.type, organizationId, ...times }, { if: isNew });
  const change = applyUpdate(organization, subscription);
  if (change === undefined) return [note];
  const retentions =
    change.plan === plan ? organization.retentions : earlierRetentions(organization, configs, Date.now());
  const unchanged = asRead(organization, ['id', 'status', 'plan', 'planChangedAtMs', 'billing', 'retentions']);
  const changed = update(at(organizationRecord, slug), { set: { ...change, retentions } }, { if: unchanged });
  const writes = [note, changed, ...pointerWrites(organization, change.billing.customerId, hasCustomer)];
  if (change.plan === plan) return writes;
  const audit = await auditWrite({ ...organization, plan: change.plan }, systemActor, source, {
    action: 'billing.plan_changed',
    target: { type: 'organization', id: organizationId, name },
    details: { from: plan, to: change.plan },
  });
  return [...writes, audit];
}

/** An organization has one customer, with a pointer to the organization. A new paying customer replaces the old one. */
function pointerWrites({ id, slug, billing }: OrganizationRecord, customerId: string | null, isStored: boolean) {
  const storedId = billing?.customerId ?? null;
  if (customerId === storedId || customerId === null) return [];
  const pointer = { organizationId: id, orgSlug: slug };
  return [
    ...(storedId === null ? [] : [remove(at(customerRecord, storedId))]),
    ...(isStored ? [] : [put(at(customerRecord, customerId), pointer, { if: isNew })]),
  ];
}
