import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { sign } from '#infra/local/stand-ins/payment/events.ts';
import { at, find, readAll } from '#lib/table/read.ts';
import { organizationRecord } from '#lib/table/records/organization.ts';
import { customerRecord, paymentEventRecord } from '#lib/table/records/platform.ts';
import { transact, update } from '#lib/table/write.ts';
import { type Answer, startApi } from '#test/support/api.ts';
import { shared } from '#test/support/fixtures.ts';
import { type Person, seedPerson } from '#test/support/people.ts';

const secret = 'whsec_of_this_test';

const api = shared(() =>
  startApi({
    STRIPE_WEBHOOK_SECRET: secret,
    STRIPE_PRICE_PRO: 'price_pro',
    STRIPE_PRICE_ENTERPRISE: 'price_enterprise',
  }),
);
const owner = shared(seedPerson);

/** An organization without a subscription, and its owner. Seeded, because hashing a password for each is slow. */
async function newCustomer(): Promise<Person> {
  const { body } = await api.post('/orgs', { name: 'Customer' }, owner.session);
  return { ...owner, organization: body.organization };
}

const nowSeconds = () => Math.floor(Date.now() / 1000);

interface EventOptions {
  id?: string;
  created?: number;
}

function eventOf(type: string, object: Record<string, unknown>, { id, created }: EventOptions = {}) {
  return {
    id: id ?? `evt_${randomUUID()}`,
    object: 'event',
    type,
    created: created ?? nowSeconds(),
    data: { object },
  };
}

async function deliver(event: unknown, signature?: (body: string) => string): Promise<Answer> {
  const body = typeof event === 'string' ? event : JSON.stringify(event);
  return api.call('POST', '/billing/webhook', {
    body,
    headers: { 'stripe-signature': (signature ?? (text => sign(text, secret)))(body) },
  });
}

function subscriptionOf(person: Person, more: Record<string, unknown> = {}) {
  return {
    id: `sub_${person.organization.id}`,
    object: 'subscription',
    status: 'active',
    customer: `cus_${person.organization.id}`,
    metadata: { organizationId: person.organization.id, plan: 'pro' },
    items: { data: [{ current_period_end: 1_900_000_000, price: { id: 'price_pro' } }] },
    ...more,
  };
}

const billingOf = async (person: Person) => (await api.get(`/billing/${person.organization.id}`, person.session)).body;

describe('the payment provider’s webhook', () => {
  it('needs no authentication, and applies the subscription’s plan and its limits', async () => {
    const person = await newCustomer();

    const answer = await deliver(eventOf('customer.subscription.created', subscriptionOf(person)));

    expect(answer).toMatchObject({ status: 200, body: { success: true } });
    expect(await billingOf(person)).toMatchObject({
      plan: 'pro',
      status: 'active',
      limits: { maxProjects: 100, auditRetentionDays: 365 },
      currentPeriodEnd: '2030-03-17T17:46:40.000Z',
    });
  });

  it('revokes the plan when the subscription is cancelled', async () => {
    const person = await newCustomer();
    await deliver(eventOf('customer.subscription.created', subscriptionOf(person)));

    await deliver(eventOf('customer.subscription.deleted', subscriptionOf(person, { status: 'canceled' })));

    expect(await billingOf(person)).toMatchObject({ plan: 'free', status: 'canceled', limits: { maxProjects: 10 } });
  });

  it('finds the organization by the checkout’s reference, and later by the customer alone', async () => {
    const person = await newCustomer();
    const customer = `cus_${randomUUID()}`;
    await deliver(
      eventOf('checkout.session.completed', {
        id: `cs_${randomUUID()}`,
        mode: 'subscription',
        payment_status: 'paid',
        client_reference_id: person.organization.id,
        customer,
        subscription: 'sub_by_reference',
        metadata: { plan: 'enterprise' },
      }),
    );
    const bought = await billingOf(person);

    await deliver(eventOf('invoice.payment_failed', { customer, subscription: 'sub_by_reference' }));

    expect(bought).toMatchObject({ plan: 'enterprise', status: 'active', limits: { maxProjects: -1 } });
    expect(await billingOf(person)).toMatchObject({ plan: 'enterprise', status: 'past_due' });
  });

  it('applies an event that arrives twice once, even concurrently', async () => {
    const person = await newCustomer();
    const event = eventOf('customer.subscription.created', subscriptionOf(person));

    const answers = await Promise.all(Array.from({ length: 8 }, () => deliver(event)));

    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200));
    const audit = await api.get(`/audit/${person.organization.id}?action=billing.plan_changed`, person.session);
    expect(audit.body.entries).toHaveLength(1);
    expect(audit.body.entries[0]).toMatchObject({
      actor: { id: null, email: null, type: 'system' },
      target: { type: 'organization', id: person.organization.id },
    });
  });

  it('ignores a repeated event, even after the plan has changed in between', async () => {
    const person = await newCustomer();
    const created = nowSeconds();
    const first = eventOf('customer.subscription.created', subscriptionOf(person), { created });
    const upgrade = subscriptionOf(person, { items: { data: [{ price: { id: 'price_enterprise' } }] } });
    await deliver(first);
    await deliver(eventOf('customer.subscription.updated', upgrade, { created }));

    await deliver(first);

    expect((await billingOf(person)).plan).toBe('enterprise');
  });

  it('accepts an older event that arrives late, and changes nothing', async () => {
    const person = await newCustomer();
    const now = nowSeconds();
    const late = eventOf('customer.subscription.updated', subscriptionOf(person), { created: now - 60 });
    await deliver(
      eventOf('customer.subscription.deleted', subscriptionOf(person, { status: 'canceled' }), { created: now }),
    );

    const answer = await deliver(late);

    expect(answer.status).toBe(200);
    expect(await billingOf(person)).toMatchObject({ plan: 'free', status: 'canceled' });
    expect(await find(at(paymentEventRecord, late.id))).toBeDefined();
  });

  it('keeps the counters of an organization that grows concurrently', async () => {
    const person = await newCustomer();
    const subscription = subscriptionOf(person);
    const projects = Array.from({ length: 5 }, (_, index) =>
      api.post(`/projects/${person.organization.id}`, { name: `Project ${index}` }, person.session),
    );
    const events = Array.from({ length: 5 }, () => deliver(eventOf('customer.subscription.updated', subscription)));

    const answers = await Promise.all([...projects, ...events]);

    expect(answers.map(({ status }) => status)).toEqual([...Array(5).fill(201), ...Array(5).fill(200)]);
    expect((await find(at(organizationRecord, person.organization.slug)))?.projectCount).toBe(5);
    expect(await billingOf(person)).toMatchObject({ plan: 'pro', usage: { projects: 5, environments: 15 } });
  });

  it.each([
    ['no signature', undefined],
    ['a forged signature', (body: string) => sign(body, 'whsec_of_somebody_else')],
    ['a signature of another body', (body: string) => sign(`${body} `, secret)],
    ['a stale signature', (body: string) => sign(body, secret, nowSeconds() - 301)],
    ['junk for a signature', () => 't=,v1='],
    ['a signature of a scheme that is not taken', (body: string) => sign(body, secret).replace('v1=', 'v0=')],
  ])('rejects %s and changes nothing', async (_, signature) => {
    const person = await newCustomer();
    const event = eventOf('customer.subscription.created', subscriptionOf(person));
    const body = JSON.stringify(event);

    const answer = await api.call('POST', '/billing/webhook', {
      body,
      headers: signature === undefined ? {} : { 'stripe-signature': signature(body) },
    });

    expect(answer).toMatchObject({ status: 400, body: { error: { code: 'invalid_signature' } } });
    expect(await billingOf(person)).toMatchObject({ plan: 'free', status: 'none' });
    expect(await find(at(paymentEventRecord, event.id))).toBeUndefined();
  });

  it('accepts a signature just within the maximum age', async () => {
    const person = await newCustomer();
    const event = eventOf('customer.subscription.created', subscriptionOf(person));
    expect((await deliver(event, body => sign(body, secret, nowSeconds() - 280))).status).toBe(200);
    expect((await billingOf(person)).plan).toBe('pro');
  });

  it('verifies the bytes as received, whatever their formatting', async () => {
    const person = await newCustomer();
    const event = eventOf('customer.subscription.created', subscriptionOf(person, { description: 'Grüße 🚀' }));

    const answer = await deliver(`\n${JSON.stringify(event, null, 4)}\n`);

    expect(answer.status).toBe(200);
    expect((await billingOf(person)).plan).toBe('pro');
  });

  it.each([
    ['of an unknown type', () => eventOf('some.future_event', { id: 'x' })],
    [
      'of an unknown organization',
      () =>
        eventOf('customer.subscription.updated', {
          id: 'sub_x',
          status: 'active',
          customer: 'cus_unknown',
          metadata: { organizationId: randomUUID() },
        }),
    ],
  ])('accepts and ignores an event %s', async (_, make) => {
    const event = make();

    expect((await deliver(event)).status).toBe(200);
    expect(await find(at(paymentEventRecord, event.id))).toBeUndefined();
  });

  it.each([
    ['no JSON', '{'],
    ['null', 'null'],
    ['an event without an id', JSON.stringify({ type: 'invoice.paid', created: 1, data: { object: {} } })],
    [
      'a subscription without a status',
      JSON.stringify({ id: 'evt_x', type: 'customer.subscription.updated', created: 1, data: { object: { id: 's' } } }),
    ],
  ])('rejects, though signed, %s', async (_, body) => {
    expect(await deliver(body)).toMatchObject({ status: 400, body: { error: { code: 'invalid_request' } } });
  });

  it('keeps one pointer from the paying customer to the organization', async () => {
    const person = await newCustomer();
    const [first, second] = [`cus_${randomUUID()}`, `cus_${randomUUID()}`];
    await deliver(eventOf('customer.subscription.created', subscriptionOf(person, { customer: first })));
    const leftover = subscriptionOf(person, { id: `sub_${randomUUID()}`, customer: `cus_${randomUUID()}` });
    await deliver(eventOf('customer.subscription.deleted', leftover));

    await deliver(
      eventOf('customer.subscription.created', subscriptionOf(person, { id: `sub_${randomUUID()}`, customer: second })),
    );

    const pointers = await readAll([first, second, leftover.customer].map(id => at(customerRecord, id)));
    expect(pointers.map(pointer => pointer?.organizationId)).toEqual([undefined, person.organization.id, undefined]);
    expect((await find(at(organizationRecord, person.organization.slug)))?.billing?.customerId).toBe(second);
  });

  it('ignores an organization that is being deleted', async () => {
    const person = await newCustomer();
    const { slug } = person.organization;
    await transact([update(at(organizationRecord, slug), { set: { status: 'deleting' } })]);

    const answer = await deliver(eventOf('customer.subscription.created', subscriptionOf(person)));

    expect(answer.status).toBe(200);
    expect((await find(at(organizationRecord, slug)))?.plan).toBe('free');
  });
});
