import { describe, expect, it } from 'vitest';
import { ZodError } from 'zod';
import { readPaymentEvent } from '#lib/billing/payment-event.ts';

const organizationId = '9b2d6f0e-3c1a-4c5d-8e77-2f4b6a9d0c31';
const prices = { pro: 'price_pro', enterprise: 'price_enterprise' };
const event = (type: string, object: object) => ({ id: 'evt_1', type, created: 1000, data: { object } });
const metadata = { organizationId, plan: 'pro' };
const subscription = { id: 'sub_1', status: 'active', customer: 'cus_1', metadata };
const read = (type: string, object: object) => readPaymentEvent(event(type, object), prices);
const updated = (more: object = {}) => read('customer.subscription.updated', { ...subscription, ...more });

describe('readPaymentEvent', () => {
  it('identifies a completed checkout by its client reference', () => {
    const checkout = {
      id: 'cs_1',
      mode: 'subscription',
      payment_status: 'paid',
      client_reference_id: organizationId,
      customer: 'cus_1',
      subscription: 'sub_1',
      metadata: { plan: 'pro' },
    };
    expect(read('checkout.session.completed', checkout)).toEqual({
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
    const checkout = { id: 'cs_1', payment_status: 'unpaid', client_reference_id: organizationId };
    expect(read('checkout.session.completed', checkout).update).toBeUndefined();
  });

  it('accepts objects in place of ids, as an expanding endpoint sends them', () => {
    expect(updated({ customer: { id: 'cus_2', object: 'customer' } }).customerId).toBe('cus_2');
  });

  it.each([
    ['on the items', { items: { data: [{ current_period_end: 1_800_000_000, price: { id: 'price_pro' } }] } }],
    ['on the subscription, as before 2025', { current_period_end: 1_800_000_000 }],
  ])('finds the end of the period %s', (_, more) => {
    expect(updated(more).update?.currentPeriodEnd).toBe('2027-01-15T08:00:00.000Z');
  });

  it.each([
    ['price if it is configured: the portal does not update the metadata', 'price_enterprise', 'enterprise'],
    ['metadata if the price is not configured', 'price_of_last_year', 'pro'],
  ])('takes the plan from the %s', (_, id, plan) => {
    expect(updated({ items: { data: [{ price: { id } }] } }).update?.plan).toBe(plan);
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
    expect(updated({ status }).update?.state).toBe(state);
  });

  it('treats a deletion as a cancellation, whatever the status', () => {
    expect(read('customer.subscription.deleted', subscription).update?.state).toBe('canceled');
  });

  it.each([
    ['under its parent', { parent: { subscription_details: { subscription: 'sub_1', metadata: { organizationId } } } }],
    ['at its top, as before 2025', { subscription: 'sub_1', subscription_details: { metadata: { organizationId } } }],
  ])('finds the subscription of an invoice %s', (_, more) => {
    expect(read('invoice.payment_failed', { customer: 'cus_1', ...more })).toMatchObject({
      organizationIds: [organizationId],
      update: { subscriptionId: 'sub_1', state: 'past_due', fromInvoice: true },
    });
  });

  it('ignores an invoice without a subscription', () => {
    expect(read('invoice.paid', { customer: 'cus_1' }).update).toBeUndefined();
  });

  it('derives no plan from an invoice that prorates two of them', () => {
    const line = (price: string) => ({ pricing: { price_details: { price } }, period: { end: 1_800_000_000 } });
    const parent = { subscription_details: { subscription: 'sub_1', metadata: { plan: 'pro' } } };
    const lines = { data: [line('price_pro'), line('price_enterprise')] };
    expect(read('invoice.paid', { parent, lines }).update?.plan).toBeUndefined();
  });

  it.each(['customer.created', 'toString', '__proto__', 'some.future_event'])('ignores the type %s', type => {
    expect(read(type, {}).update).toBeUndefined();
  });

  it('drops references that are not organization ids', () => {
    const checkout = { id: 'cs_1', client_reference_id: 'x'.repeat(5000), metadata: null };
    expect(read('checkout.session.completed', checkout).organizationIds).toEqual([]);
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
