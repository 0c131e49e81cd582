import { randomBytes } from 'node:crypto';

/* The payment provider's objects, as far as the service reads them. */

export type Metadata = Record<string, string>;

/** Price id → its plan. */
export type Plans = Readonly<Record<string, string>>;

export interface Customer {
  id: string;
  object: 'customer';
  name: string;
  email: string | null;
  metadata: Metadata;
}

export interface CheckoutSession {
  id: string;
  object: 'checkout.session';
  mode: 'subscription';
  status: 'open' | 'complete' | 'expired';
  payment_status: 'unpaid' | 'paid';
  client_reference_id: string | null;
  customer: string;
  subscription: string | null;
  metadata: Metadata;
  success_url: string;
  cancel_url: string;
  url: string | null;
}

export interface PortalSession {
  id: string;
  object: 'billing_portal.session';
  customer: string;
  return_url: string;
  url: string;
}

export interface Subscription {
  id: string;
  object: 'subscription';
  customer: string;
  status: 'active' | 'past_due' | 'canceled';
  cancel_at_period_end: boolean;
  metadata: Metadata;
  items: {
    object: 'list';
    data: { id: string; price: { id: string }; current_period_start: number; current_period_end: number }[];
  };
}

/** What a checkout session sells. The provider does not show it in the session. */
export interface Order {
  id: string;
  price: string;
  metadata: Metadata;
}

const monthSeconds = 30 * 86_400;

export function newSubscription(id: string, customer: string, price: string, metadata: Metadata): Subscription {
  const now = Math.floor(Date.now() / 1000);
  const item = {
    id: newId('si'),
    price: { id: price },
    current_period_start: now,
    current_period_end: now + monthSeconds,
  };
  return {
    id,
    object: 'subscription',
    customer,
    status: 'active',
    cancel_at_period_end: false,
    metadata,
    items: { object: 'list', data: [item] },
  };
}

/** An invoice in the format of current API versions, with the subscription under `parent`. */
export function invoiceOf({ id, customer, metadata, items }: Subscription): Record<string, unknown> {
  return {
    id: newId('in'),
    object: 'invoice',
    customer,
    parent: { type: 'subscription_details', subscription_details: { subscription: id, metadata } },
    lines: {
      object: 'list',
      data: items.data.map(item => ({
        period: { start: item.current_period_start, end: item.current_period_end },
        pricing: { type: 'price_details', price_details: { price: item.price.id } },
      })),
    },
  };
}

/** The subscription in its next, paid period. */
export function renewed(subscription: Subscription): Subscription {
  const changed = structuredClone(subscription);
  changed.status = 'active';
  for (const item of changed.items.data) {
    item.current_period_start = item.current_period_end;
    item.current_period_end += monthSeconds;
  }
  return changed;
}

export function newId(prefix: string): string {
  return `${prefix}_${randomBytes(12).toString('hex')}`;
}
