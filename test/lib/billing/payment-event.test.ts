import { describe, expect, it } from 'vitest';
import { ZodError } from 'zod';
import { readPaymentEvent } from '#lib/billing/payment-event.ts';

const organizationId = '9b2d6f0e-3c1a-4c5d-8e77-2f4b6a9d0c31';
const prices = { pro: 'price_pro', enterprise: 'price_enterprise' };

function event(type: string, object: Record<string, unknown>) {
  return { id: 'evt_1', type, created: 1000, data: { object } };
}

function subscription(more: Record<string, unknown> = {}) {
  return { id: 'sub_1', status: 'active', customer: 'cus_1', metadata: { organizationId, plan: 'pro' }, ...more };
}

describe('readPaymentEvent', () => {
  it('identifies a completed checkout by its client reference', () => {
    const read = readPaymentEvent(
      event('checkout.session.completed', {
        id: 'cs_1',
        mode: 'subscription',
        payment_status: 'paid',
        client_reference_id: organizationId,
        customer: 'cus_1',
        subscription: 'sub_1',
        metadata: { plan: 'pro' },
      }),
      prices,
    );

    expect(read).toEqual({
      id: 'evt_1',
      type: 'checkout.session.completed',
      organizationIds: [organizationId],
      customerId: 'cus_1',
      update: {
        created: 1000,
        subscriptionId: 'sub_1',
        customerId: 'cus_1',
        state: 'active',
        plan: 'pro',
        currentPeriodEnd: undefined,
        fromInvoice: false,
      },
    });
  });

  it('waits for the payment if the method takes days', () => {
    const read = readPaymentEvent(
      event('checkout.session.completed', {
        id: 'cs_1',
        payment_status: 'unpaid',
        client_reference_id: organizationId,
      }),
      prices,
    );

    expect(read.update).toBeUndefined();
  });

  it('accepts objects in place of ids, as an expanding endpoint sends them', () => {
    const read = readPaymentEvent(
      event('customer.subscription.updated', subscription({ customer: { id: 'cus_2', object: 'customer' } })),
      prices,
    );

    expect(read.customerId).toBe('cus_2');
  });

  it.each([
    ['on the items', { items: { data: [{ current_period_end: 1_800_000_000, price: { id: 'price_pro' } }] } }],
    ['on the subscription, as before 2025', { current_period_end: 1_800_000_000 }],
  ])('finds the end of the period %s', (_, more) => {
    const read = readPaymentEvent(event('customer.subscription.updated', subscription(more)), prices);

    expect(read.update?.currentPeriodEnd).toBe('2027-01-15T08:00:00.000Z');
  });

  it('prefers the configured price to the metadata, which a change in the portal does not update', () => {
    const items = { data: [{ price: { id: 'price_enterprise' } }] };

    const read = readPaymentEvent(event('customer.subscription.updated', subscription({ items })), prices);

    expect(read.update?.plan).toBe('enterprise');
  });

  it('takes the plan from the metadata if the price is not configured', () => {
    const items = { data: [{ price: { id: 'price_of_last_year' } }] };

    const read = readPaymentEvent(event('customer.subscription.updated', subscription({ items })), prices);

    expect(read.update?.plan).toBe('pro');
  });

  it.each([
    ['trialing', 'active'],
    ['past_due', 'past_due'],
    ['unpaid', 'suspended'],
    ['paused', 'suspended'],
    ['canceled', 'canceled'],
    ['incomplete', 'pending'],
    ['incomplete_expired', 'pending'],
    ['constructor', 'pending'],
    ['a state of the future', 'pending'],
  ])('reads the status %s as %s', (status, state) => {
    const read = readPaymentEvent(event('customer.subscription.updated', subscription({ status })), prices);

    expect(read.update?.state).toBe(state);
  });

  it('treats a deletion as a cancellation, whatever the status', () => {
    const read = readPaymentEvent(event('customer.subscription.deleted', subscription()), prices);

    expect(read.update?.state).toBe('canceled');
  });

  it.each([
    ['under its parent', { parent: { subscription_details: { subscription: 'sub_1', metadata: { organizationId } } } }],
    ['at its top, as before 2025', { subscription: 'sub_1', subscription_details: { metadata: { organizationId } } }],
  ])('finds the subscription of an invoice %s', (_, more) => {
    const read = readPaymentEvent(event('invoice.payment_failed', { customer: 'cus_1', ...more }), prices);

    expect(read.organizationIds).toEqual([organizationId]);
    expect(read.update).toMatchObject({ subscriptionId: 'sub_1', state: 'past_due', fromInvoice: true });
  });

  it('ignores an invoice without a subscription', () => {
    expect(readPaymentEvent(event('invoice.paid', { customer: 'cus_1' }), prices).update).toBeUndefined();
  });

  it('derives no plan from an invoice that prorates two of them', () => {
    const line = (price: string) => ({ pricing: { price_details: { price } }, period: { end: 1_800_000_000 } });
    const read = readPaymentEvent(
      event('invoice.paid', {
        parent: { subscription_details: { subscription: 'sub_1', metadata: { plan: 'pro' } } },
        lines: { data: [line('price_pro'), line('price_enterprise')] },
      }),
      prices,
    );

    expect(read.update?.plan).toBeUndefined();
  });

  it.each(['customer.created', 'toString', '__proto__', 'some.future_event'])('ignores the type %s', type => {
    expect(readPaymentEvent(event(type, {}), prices).update).toBeUndefined();
  });

  it('drops references that are not organization ids', () => {
    const read = readPaymentEvent(
      event('checkout.session.completed', { id: 'cs_1', client_reference_id: 'x'.repeat(5000), metadata: null }),
      prices,
    );

    expect(read.organizationIds).toEqual([]);
  });

  it.each([
    ['null', null],
    ['a list', []],
    ['no id', { type: 'invoice.paid', created: 1, data: { object: {} } }],
    ['a subscription without a status', event('customer.subscription.updated', { id: 'sub_1' })],
  ])('rejects %s', (_, payload) => {
    expect(() => readPaymentEvent(payload, prices)).toThrow(ZodError);
  });
});
