import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { sign } from '#infra/local/stand-ins/payment/events.ts';
import { at, find, readAll } from '#lib/table/read.ts';
import { organizationRecord } from '#lib/table/records/organization.ts';
import { customerRecord, paymentEventRecord } from '#lib/table/records/platform.ts';
import { transact, update } from '#lib/table/write.ts';
import { type Answer, codeOf, nowSeconds, startApi, useApi } from '#test/support/api.ts';
import { atOnce } from '#test/support/at-once.ts';
import { shared } from '#test/support/fixtures.ts';
import { type Person, seedPerson } from '#test/support/people.ts';
import { withNewOrganization } from '#test/support/sample-requests.ts';

const secret = 'whsec_of_this_test';
const prices = { STRIPE_PRICE_PRO: 'price_pro', STRIPE_PRICE_ENTERPRISE: 'price_enterprise' };
const api = useApi(() => startApi({ STRIPE_WEBHOOK_SECRET: secret, ...prices }));
const owner = shared(seedPerson);
const newCustomer = () => withNewOrganization(api, { ...owner });

function eventOf(type: string, object: Record<string, unknown>, created = nowSeconds()) {
  return { id: `evt_${randomUUID()}`, object: 'event', type, created, data: { object } };
}

type Sign = (body: string) => string | undefined;

async function deliver(event: unknown, signed: Sign = body => sign(body, secret)): Promise<Answer> {
  const body = typeof event === 'string' ? event : JSON.stringify(event);
  const signature = signed(body);
  return api.post(
    '/billing/webhook',
    body,
    undefined,
    signature === undefined ? {} : { 'stripe-signature': signature },
  );
}

const subscriptionEvent = (
  person: Person,
  change: 'created' | 'updated' | 'deleted',
  more: Record<string, unknown> = {},
  created?: number,
) => eventOf(`customer.subscription.${change}`, subscriptionOf(person, more), created);

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
    const answer = await deliver(subscriptionEvent(person, 'created'));

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
    await deliver(subscriptionEvent(person, 'created'));
    await deliver(subscriptionEvent(person, 'deleted', { status: 'canceled' }));

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
    const event = subscriptionEvent(person, 'created');

    const answers = await atOnce(8, () => deliver(event));

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
    const first = subscriptionEvent(person, 'created', {}, created);
    const upgrade = { items: { data: [{ price: { id: 'price_enterprise' } }] } };
    await deliver(first);
    await deliver(subscriptionEvent(person, 'updated', upgrade, created));

    await deliver(first);

    expect((await billingOf(person)).plan).toBe('enterprise');
  });

  it('accepts an older event that arrives late, and changes nothing', async () => {
    const person = await newCustomer();
    const now = nowSeconds();
    const late = subscriptionEvent(person, 'updated', {}, now - 60);
    await deliver(subscriptionEvent(person, 'deleted', { status: 'canceled' }, now));

    const answer = await deliver(late);

    expect(answer.status).toBe(200);
    expect(await billingOf(person)).toMatchObject({ plan: 'free', status: 'canceled' });
    expect(await find(at(paymentEventRecord, late.id))).toBeDefined();
  });

  it('keeps the counters of an organization that grows concurrently', async () => {
    const person = await newCustomer();
    const { organization, session } = person;

    const answers = await Promise.all([
      atOnce(5, index => api.post(`/projects/${organization.id}`, { name: `Project ${index}` }, session)),
      atOnce(5, () => deliver(subscriptionEvent(person, 'updated'))),
    ]);

    expect(answers.flat().map(({ status }) => status)).toEqual([...Array(5).fill(201), ...Array(5).fill(200)]);
    expect((await find(at(organizationRecord, person.organization.slug)))?.projectCount).toBe(5);
    expect(await billingOf(person)).toMatchObject({ plan: 'pro', usage: { projects: 5, environments: 15 } });
  });

  it.each<[string, Sign]>([
    ['no signature', () => undefined],
    ['a forged signature', body => sign(body, 'whsec_of_somebody_else')],
    ['a signature of another body', body => sign(`${body} `, secret)],
    ['a stale signature', body => sign(body, secret, nowSeconds() - 301)],
    ['junk for a signature', () => 't=,v1='],
    ['a signature of a scheme that is not taken', body => sign(body, secret).replace('v1=', 'v0=')],
  ])('rejects %s and changes nothing', async (_, signature) => {
    const person = await newCustomer();
    const event = subscriptionEvent(person, 'created');

    expect(codeOf(await deliver(event, signature))).toBe('400 invalid_signature');
    expect(await billingOf(person)).toMatchObject({ plan: 'free', status: 'none' });
    expect(await find(at(paymentEventRecord, event.id))).toBeUndefined();
  });

  it('accepts a signature just within the maximum age', async () => {
    const person = await newCustomer();
    const event = subscriptionEvent(person, 'created');
    expect((await deliver(event, body => sign(body, secret, nowSeconds() - 280))).status).toBe(200);
    expect((await billingOf(person)).plan).toBe('pro');
  });

  it('verifies the bytes as received, whatever their formatting', async () => {
    const person = await newCustomer();
    const event = subscriptionEvent(person, 'created', { description: 'Grüße 🚀' });

    const answer = await deliver(`\n${JSON.stringify(event, null, 4)}\n`);

    expect(answer.status).toBe(200);
    expect((await billingOf(person)).plan).toBe('pro');
  });

  const ofNobody = {
    id: 'sub_x',
    status: 'active',
    customer: 'cus_unknown',
    metadata: { organizationId: randomUUID() },
  };
  it.each([
    ['of an unknown type', 'some.future_event', { id: 'x' }],
    ['of an unknown organization', 'customer.subscription.updated', ofNobody],
  ])('accepts and ignores an event %s', async (_, type, object) => {
    const event = eventOf(type, object);

    expect((await deliver(event)).status).toBe(200);
    expect(await find(at(paymentEventRecord, event.id))).toBeUndefined();
  });

  it.each([
    ['no JSON', '{'],
    ['null', 'null'],
    ['an event without an id', JSON.stringify({ type: 'invoice.paid', created: 1, data: { object: {} } })],
    ['a subscription without a status', JSON.stringify(eventOf('customer.subscription.updated', { id: 's' }))],
  ])('rejects, though signed, %s', async (_, body) => {
    expect(codeOf(await deliver(body))).toBe('400 invalid_request');
  });

  it('keeps one pointer from the paying customer to the organization', async () => {
    const person = await newCustomer();
    const [first, second] = [`cus_${randomUUID()}`, `cus_${randomUUID()}`];
    await deliver(subscriptionEvent(person, 'created', { customer: first }));
    const leftover = { id: `sub_${randomUUID()}`, customer: `cus_${randomUUID()}` };
    await deliver(subscriptionEvent(person, 'deleted', leftover));
    await deliver(subscriptionEvent(person, 'created', { id: `sub_${randomUUID()}`, customer: second }));

    const pointers = await readAll([first, second, leftover.customer].map(id => at(customerRecord, id)));
    expect(pointers.map(pointer => pointer?.organizationId)).toEqual([undefined, person.organization.id, undefined]);
    expect((await find(at(organizationRecord, person.organization.slug)))?.billing?.customerId).toBe(second);
  });

  it('ignores an organization that is being deleted', async () => {
    const person = await newCustomer();
    const { slug } = person.organization;
    await transact([update(at(organizationRecord, slug), { set: { status: 'deleting' } })]);

    const answer = await deliver(subscriptionEvent(person, 'created'));

    expect(answer.status).toBe(200);
    expect((await find(at(organizationRecord, slug)))?.plan).toBe('free');
  });
});
