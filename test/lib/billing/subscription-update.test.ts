import { describe, expect, it } from 'vitest';
import { applyUpdate, type SubscriptionUpdate } from '#lib/billing/subscription-update.ts';
import { randomFrom } from '#test/support/seed.ts';

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
        subscribedPlan: 'pro',
      },
    });
  });

  const canceled = update({ created: 1001, state: 'canceled' });
  const suspended = update({ created: 1001, state: 'suspended' });
  const revoked = (status: string) => ({ plan: 'free', billing: { status } });
  const retried = update({ created: 1001, state: 'past_due', plan: undefined, currentPeriodEnd: undefined });
  const second = (created: number) => update({ created, subscriptionId: 'sub_2', plan: 'enterprise' });
  const secondIsActive = { plan: 'enterprise', billing: { subscriptionId: 'sub_2', status: 'active' } };
  const onEnterprise = { plan: 'enterprise', billing: { subscriptionId: 'sub_2' } };
  const outcomes: Record<string, [SubscriptionUpdate[], object]> = {
    'keeps plan and period while the provider retries the payment': [
      [update(), retried],
      { plan: 'pro', billing: { status: 'past_due', currentPeriodEnd: '2026-12-01T00:00:00.000Z' } },
    ],
    'revokes the plan when the subscription is canceled': [[update(), canceled], revoked('canceled')],
    'revokes the plan when the subscription is suspended': [[update(), suspended], revoked('past_due')],
    'restores the plan when a suspended subscription is paid': [
      [update(), suspended, update({ created: 1002 })],
      { plan: 'pro', billing: { status: 'active' } },
    ],
    'does not bring back a subscription that ended before another one began': [
      [update(), update({ created: 2000, state: 'canceled' }), second(2001), update({ created: 2000 })],
      onEnterprise,
    ],
    'grants and revokes nothing while a first payment is pending': [
      [update({ state: 'pending' })],
      { plan: 'free', billing: { status: 'none', subscriptionId: null } },
    ],
    'lets a new subscription take over, after which the end of the old one changes nothing': [
      [update(), second(1500), update({ created: 1600, state: 'canceled' })],
      secondIsActive,
    ],
    'lets a newly active one take over, whenever the other was last updated': [
      [update({ created: 1500 }), second(1400), update({ created: 1600, state: 'canceled' })],
      secondIsActive,
    ],
    'accepts a new subscription after a cancelled one, even if it was started earlier': [
      [update({ created: 2000, state: 'canceled' }), second(1500)],
      onEnterprise,
    ],
    'keeps the plan if an event names none': [
      [update({ plan: 'enterprise' }), update({ created: 1001, plan: undefined })],
      { plan: 'enterprise' },
    ],
  };
  it.each(Object.entries(outcomes))('%s', (_, [events, expected]) => {
    expect(heard(...events)).toMatchObject(expected);
  });

  it('changes nothing for an older update of the same subscription', () => {
    expect(applyUpdate(heard(update({ created: 2000, state: 'canceled' })), update({ created: 1999 }))).toBeUndefined();
  });

  it('applies an update from the same second', () => {
    expect(applyUpdate(heard(update({ created: 2000 })), update({ created: 2000, plan: 'enterprise' }))?.plan).toBe(
      'enterprise',
    );
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

  it('ends cancelled if the subscription ended in the second of another update, in either order', () => {
    const others = [{}, { state: 'past_due' }, { state: 'suspended' }, { fromInvoice: true }] as const;
    const end = update({ created: 2000, state: 'canceled' });
    for (const order of others.flatMap(other => permutations([update({ created: 2000, ...other }), end]))) {
      expect(heard(update(), ...order)).toMatchObject({ plan: 'free', billing: { status: 'canceled' } });
    }
  });

  it('keeps the plan of the subscription when an invoice with the former price is paid, in any order', () => {
    const currentPeriodEnd = '2027-01-01T00:00:00.000Z';
    const raised = update({ created: 2000, plan: 'enterprise', currentPeriodEnd });
    for (const order of permutations([update(), raised, update({ created: 2001, fromInvoice: true })])) {
      expect(heard(...order)).toMatchObject({ plan: 'enterprise', billing: { status: 'active', currentPeriodEnd } });
    }
  });

  it('ends as in order for every order of the events of a subscription, for 500 random histories', () => {
    const random = randomFrom(1);
    for (let history = 0; history < 500; history += 1) {
      const events = Array.from({ length: 4 }, (_, index) => randomEvent(random, index + 1));
      const end = outcome(heard(update({ created: 0 }), ...events.toSorted(inTime)));
      for (const order of permutations(events)) {
        expect(outcome(heard(update({ created: 0 }), ...order)), JSON.stringify(order)).toEqual(end);
      }
    }
  });

  it('keeps an administrator’s plan for older events and changes it for later ones', () => {
    const set = { plan: 'enterprise' as const, planChangedAtMs: 2_000_500 };

    expect(applyUpdate(set, update({ created: 1999 }))?.plan).toBe('enterprise');
    expect(applyUpdate(set, update({ created: 2000 }))?.plan).toBe('pro');
    expect(applyUpdate(set, update({ created: 2001 }))?.plan).toBe('pro');
  });

  it('does not revive a cancelled subscription on its last invoice', () => {
    expect(applyUpdate(heard(update(), canceled), update({ created: 1002, fromInvoice: true }))).toBeUndefined();
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

const outcome = ({ plan, billing }: Parameters<typeof applyUpdate>[0]) => [plan, billing?.status];

/** An invoice counts after the subscription's own event of the same second, and the end after everything. */
function inTime(one: SubscriptionUpdate, other: SubscriptionUpdate): number {
  const rank = ({ state, fromInvoice }: SubscriptionUpdate) => (fromInvoice ? 1 : state === 'canceled' ? 2 : 0);
  return one.created - other.created || rank(one) - rank(other);
}

/** An event in a second of its own, or one that may share its second with others: an invoice or an end. */
function randomEvent(random: () => number, index: number): SubscriptionUpdate {
  const pick = <T>(...values: readonly T[]) => values[Math.floor(random() * values.length)] as T;
  const plan = pick('pro' as const, 'enterprise' as const);
  if (random() < 0.5) return update({ created: index * 2, plan, state: pick('active', 'past_due', 'suspended') });
  if (random() < 0.3) return update({ created: pick(8, 9, 10), state: 'canceled' });
  const payment = update({ created: index * 2 + pick(0, 1), fromInvoice: true, plan });
  return random() < 0.5 ? payment : { ...payment, state: 'past_due', plan: undefined, currentPeriodEnd: undefined };
}
