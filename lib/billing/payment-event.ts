import * as z from 'zod';
import { BoughtPlan, type PlanName } from '../contracts/fields/limits.ts';
import { Uuid } from '../contracts/fields/text.ts';
import { isoOfSeconds } from '../core/time.ts';
import type { SubscriptionUpdate } from './subscription-update.ts';

/** The configured price ids of the paid plans. */
export type Prices = Readonly<Partial<Record<BoughtPlan, string | undefined>>>;

/** The parts of a signed event that the service uses. */
export interface PaymentEvent {
  id: string;
  type: string;
  /** The organizations that the event names, most explicit first. */
  organizationIds: readonly string[];
  customerId: string | null;
  /** undefined if the service ignores this type of event. */
  update: SubscriptionUpdate | undefined;
}

/** An id, or the object itself if the endpoint is configured to expand it. */
const reference = z
  .union([z.string().max(255), z.object({ id: z.string().max(255) }).transform(({ id }) => id)])
  .nullish()
  .transform(id => id ?? null);
const metadata = z
  .record(z.string(), z.unknown())
  .nullish()
  .transform(members => members ?? {});
const epochSeconds = z.int().min(0).max(99_999_999_999);
const listOf = <Item extends z.ZodType>(item: Item) => z.object({ data: z.array(item) }).nullish();

const Envelope = z.object({
  id: z.string().min(1).max(255),
  type: z.string().min(1).max(255),
  created: epochSeconds,
  data: z.object({ object: z.record(z.string(), z.unknown()) }),
});

const CheckoutSession = z.object({
  id: z.string().max(255),
  mode: z.string().nullish(),
  payment_status: z.string().nullish(),
  client_reference_id: z.string().nullish(),
  customer: reference,
  subscription: reference,
  metadata,
});

/** Since API version 2025-03-31 (basil), the items carry the period; before that, the subscription did. */
const Subscription = z.object({
  id: z.string().max(255),
  status: z.string(),
  customer: reference,
  metadata,
  current_period_end: epochSeconds.nullish(),
  items: listOf(z.object({ current_period_end: epochSeconds.nullish(), price: reference })),
});

/** Since basil, an invoice references its subscription under `parent`; before that, at the top level. */
const Invoice = z.object({
  customer: reference,
  subscription: reference,
  subscription_details: z.object({ metadata }).nullish(),
  parent: z.object({ subscription_details: z.object({ subscription: reference, metadata }).nullish() }).nullish(),
  metadata,
  lines: listOf(
    z.object({
      period: z.object({ end: epochSeconds }).nullish(),
      price: reference,
      pricing: z.object({ price_details: z.object({ price: reference }).nullish() }).nullish(),
    }),
  ),
});

/** https://docs.stripe.com/api/subscriptions/object#subscription_object-status; unknown states change nothing. */
const states: ReadonlyMap<string, SubscriptionUpdate['state']> = new Map([
  ['active', 'active'],
  ['trialing', 'active'],
  ['past_due', 'past_due'],
  ['unpaid', 'suspended'],
  ['paused', 'suspended'],
  ['canceled', 'canceled'],
  // The first payment did not arrive in time, so the subscription never started.
  ['incomplete_expired', 'pending'],
  ['incomplete', 'pending'],
]);

/**
 * Reads a verified event. Pure.
 * @throws ZodError if a relevant event does not have its documented shape
 */
export function readPaymentEvent(payload: unknown, prices: Prices): PaymentEvent {
  const { id, type, created, data } = Envelope.parse(payload);
  const read = readers.get(type);
  if (read === undefined) return { id, type, organizationIds: [], customerId: null, update: undefined };
  const { organizationIds, customerId, update } = read(data.object, prices);
  return {
    id,
    type,
    organizationIds: [...new Set(organizationIds.filter(named => Uuid.safeParse(named).success) as string[])],
    customerId,
    update: update && { created, customerId, fromInvoice: false, ...update },
  };
}

type Reader = (
  object: unknown,
  prices: Prices,
) => {
  organizationIds: readonly unknown[];
  customerId: string | null;
  update: (Pick<SubscriptionUpdate, 'subscriptionId' | 'state'> & Partial<SubscriptionUpdate>) | undefined;
};

const readCheckout: Reader = object => {
  const session = CheckoutSession.parse(object);
  // Some payment methods take days; the payment provider sends another event when the money arrives.
  const isBought = (session.mode ?? 'subscription') === 'subscription' && session.payment_status !== 'unpaid';
  const { client_reference_id, customer: customerId, subscription: subscriptionId, metadata: names } = session;
  const bought = { subscriptionId, state: 'active', plan: namedPlan(names.plan) } as const;
  const organizationIds = [client_reference_id, names.organizationId];
  return { organizationIds, customerId, update: isBought ? bought : undefined };
};

const readSubscription =
  (ended?: 'canceled'): Reader =>
  (object, prices) => {
    const { id: subscriptionId, status, customer, metadata: names, items, ...rest } = Subscription.parse(object);
    const sold = items?.data ?? [];
    const priceIds = sold.map(({ price }) => price);
    return {
      organizationIds: [names.organizationId],
      customerId: customer,
      update: {
        subscriptionId,
        state: ended ?? states.get(status) ?? 'pending',
        plan: planOf(priceIds, names.plan, prices),
        currentPeriodEnd: latest([rest, ...sold].map(({ current_period_end }) => current_period_end)),
      },
    };
  };

const readInvoice =
  (state: 'active' | 'past_due'): Reader =>
  (object, configured) => {
    const invoice = Invoice.parse(object);
    const details = invoice.parent?.subscription_details;
    const lines = invoice.lines?.data ?? [];
    const names = { ...invoice.metadata, ...invoice.subscription_details?.metadata, ...details?.metadata };
    const subscriptionId = details?.subscription ?? invoice.subscription;
    const prices = lines.map(line => line.pricing?.price_details?.price ?? line.price);
    const currentPeriodEnd = latest(lines.map(line => line.period?.end));
    const paid = { plan: planOf(prices, names.plan, configured), currentPeriodEnd };
    const reported = { subscriptionId, state, fromInvoice: true, ...(state === 'active' ? paid : {}) };
    const update = subscriptionId === null ? undefined : reported;
    return { organizationIds: [names.organizationId], customerId: invoice.customer, update };
  };

const readers: ReadonlyMap<string, Reader> = new Map([
  ['checkout.session.completed', readCheckout],
  ['checkout.session.async_payment_succeeded', readCheckout],
  ['customer.subscription.created', readSubscription()],
  ['customer.subscription.updated', readSubscription()],
  ['customer.subscription.paused', readSubscription()],
  ['customer.subscription.resumed', readSubscription()],
  ['customer.subscription.deleted', readSubscription('canceled')],
  ['invoice.paid', readInvoice('active')],
  ['invoice.payment_failed', readInvoice('past_due')],
]);

/**
 * A configured price takes precedence over the metadata, which still names the first plan after the customer changes it
 * in the portal. If prices of several plans appear (a prorated invoice for a plan change), they are ignored.
 */
function planOf(priceIds: readonly (string | null)[], named: unknown, prices: Prices): PlanName | undefined {
  const bought = BoughtPlan.options.filter(plan => {
    const price = prices[plan];
    return price !== undefined && priceIds.includes(price);
  });
  return bought.length === 0 ? namedPlan(named) : bought.length === 1 ? bought[0] : undefined;
}

function namedPlan(named: unknown): PlanName | undefined {
  return BoughtPlan.safeParse(named).data;
}

function latest(seconds: readonly (number | null | undefined)[]): string | undefined {
  const ends = seconds.filter(end => typeof end === 'number');
  return ends.length === 0 ? undefined : isoOfSeconds(Math.max(...ends));
}
