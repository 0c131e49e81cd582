import { describe, expect, it } from 'vitest';
import { applyUpdate, type SubscriptionUpdate } from '../../../lib/billing/subscription-update.ts';

const fresh = { plan: 'free' as const, planChangedAtMs: 0 };

function update(more: Partial<SubscriptionUpdate> = {}): SubscriptionUpdate {
  return {
    created: 1000,
    subscriptionId: 'sub_1',
    customerId: 'cus_1',
    state: 'active',
    plan: 'pro',
    currentPeriodEnd: '2026-12-01T00:00:00.000Z',
    fromInvoice: false,
    ...more,
  };
}

/** The known state after a series of updates. */
function heard(...all: SubscriptionUpdate[]): Parameters<typeof applyUpdate>[0] {
  let known: Parameters<typeof applyUpdate>[0] = fresh;
  for (const one of all) known = { ...known, ...applyUpdate(known, one) };
  return known;
}

describe('applyUpdate', () => {
  it('applies the plan of an active subscription', () => {
    expect(applyUpdate(fresh, update())).toEqual({
      plan: 'pro',
      billing: {
        customerId: 'cus_1',
        subscriptionId: 'sub_1',
        status: 'active',
        currentPeriodEnd: '2026-12-01T00:00:00.000Z',
        eventTimes: { sub_1: 1000 },
      },
    });
  });

  it('keeps plan and period while the provider retries the payment', () => {
    const known = heard(
      update(),
      update({ created: 1001, state: 'past_due', plan: undefined, currentPeriodEnd: undefined }),
    );

    expect(known.plan).toBe('pro');
    expect(known.billing).toMatchObject({ status: 'past_due', currentPeriodEnd: '2026-12-01T00:00:00.000Z' });
  });

  it.each(['canceled', 'suspended'] as const)('revokes the plan when the subscription is %s', state => {
    const known = heard(update(), update({ created: 1001, state }));

    expect(known.plan).toBe('free');
    expect(known.billing?.status).toBe(state === 'canceled' ? 'canceled' : 'past_due');
  });

  it('restores the plan when a suspended subscription is paid', () => {
    const known = heard(update(), update({ created: 1001, state: 'suspended' }), update({ created: 1002 }));

    expect(known).toMatchObject({ plan: 'pro', billing: { status: 'active' } });
  });

  it('changes nothing for an older update of the same subscription', () => {
    const known = heard(update({ created: 2000, state: 'canceled' }));

    expect(applyUpdate(known, update({ created: 1999 }))).toBeUndefined();
  });

  it('applies an update from the same second', () => {
    const known = heard(update({ created: 2000 }));

    expect(applyUpdate(known, update({ created: 2000, plan: 'enterprise' }))?.plan).toBe('enterprise');
  });

  it('ends in the same state for every order of one subscription’s events', () => {
    const events = [
      update({ created: 1 }),
      update({ created: 2, plan: 'enterprise' }),
      update({ created: 3, state: 'past_due' }),
      update({ created: 4, state: 'canceled' }),
    ];
    const orders = permutations(events);

    const ends = orders.map(order => heard(...order));

    expect(orders).toHaveLength(24);
    for (const end of ends) expect(end).toEqual(ends[0]);
  });

  it('grants and revokes nothing while a first payment is pending', () => {
    const known = heard(update({ state: 'pending' }));

    expect(known).toMatchObject({ plan: 'free', billing: { status: 'none', subscriptionId: null } });
  });

  it('lets a new subscription take over, after which the end of the old one changes nothing', () => {
    const known = heard(
      update(),
      update({ subscriptionId: 'sub_2', created: 1500, plan: 'enterprise' }),
      update({ created: 1600, state: 'canceled' }),
    );

    expect(known).toMatchObject({ plan: 'enterprise', billing: { subscriptionId: 'sub_2', status: 'active' } });
  });

  it('orders each subscription by its own times: a newly active one takes over, whenever the other was last updated', () => {
    const known = heard(
      update({ created: 1500, plan: 'pro' }),
      update({ subscriptionId: 'sub_new', created: 1400, plan: 'enterprise' }),
      update({ created: 1600, state: 'canceled' }),
    );

    expect(known).toMatchObject({ plan: 'enterprise', billing: { subscriptionId: 'sub_new', status: 'active' } });
  });

  it('accepts a new subscription after a cancelled one, even if it was started earlier', () => {
    const known = heard(
      update({ created: 2000, state: 'canceled' }),
      update({ subscriptionId: 'sub_2', created: 1500, plan: 'enterprise' }),
    );

    expect(known).toMatchObject({ plan: 'enterprise', billing: { subscriptionId: 'sub_2' } });
  });

  it('keeps an administrator’s plan for older events and changes it for later ones', () => {
    const set = { plan: 'enterprise' as const, planChangedAtMs: 2_000_500 };

    expect(applyUpdate(set, update({ created: 1999 }))?.plan).toBe('enterprise');
    expect(applyUpdate(set, update({ created: 2000 }))?.plan).toBe('pro');
    expect(applyUpdate(set, update({ created: 2001 }))?.plan).toBe('pro');
  });

  it('keeps the plan if an event names none', () => {
    const known = heard(update({ plan: 'enterprise' }), update({ created: 1001, plan: undefined }));

    expect(known.plan).toBe('enterprise');
  });

  it('does not revive a cancelled subscription on its last invoice', () => {
    const known = heard(update(), update({ created: 1001, state: 'canceled' }));

    expect(applyUpdate(known, update({ created: 1002, fromInvoice: true }))).toBeUndefined();
  });

  it('does not let a payment for an unknown subscription hide its later updates', () => {
    const payment = update({ created: 1002, plan: undefined, fromInvoice: true });

    expect(applyUpdate(fresh, payment)).toBeUndefined();
    expect(heard(payment, update({ created: 1000 })).plan).toBe('pro');
  });

  it('recognizes by the next update the subscription of a checkout that named none', () => {
    const bought = heard(update({ subscriptionId: null, currentPeriodEnd: undefined }));
    const cancelled = { ...bought, ...applyUpdate(bought, update({ created: 1001, state: 'canceled' })) };

    expect(bought).toMatchObject({ plan: 'pro', billing: { status: 'active', subscriptionId: null } });
    expect(cancelled).toMatchObject({ plan: 'free', billing: { status: 'canceled', subscriptionId: 'sub_1' } });
  });

  it('remembers a limited number of subscriptions, the newest ones', () => {
    const many = Array.from({ length: 30 }, (_, index) => update({ subscriptionId: `sub_${index}`, created: index }));

    const times = heard(...many).billing?.eventTimes ?? {};

    expect(Object.keys(times)).toHaveLength(20);
    expect(times).toHaveProperty('sub_29');
  });
});

function permutations<T>(values: readonly T[]): T[][] {
  if (values.length <= 1) return [[...values]];
  return values.flatMap((value, index) =>
    permutations(values.filter((_, other) => other !== index)).map(rest => [value, ...rest]),
  );
}
