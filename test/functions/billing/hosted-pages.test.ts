import { describe, expect, it } from 'vitest';
import { defaultLimits } from '#lib/contracts/fields/limits.ts';
import { at, find } from '#lib/table/read.ts';
import { organizationRecord } from '#lib/table/records/organization.ts';
import { customerRecord } from '#lib/table/records/platform.ts';
import { type Answer, codeOf, useApi, useSettings } from '#test/support/api.ts';
import { eventually } from '#test/support/eventually.ts';
import { shared } from '#test/support/fixtures.ts';
import { type Person, seedPerson } from '#test/support/people.ts';
import { withNewOrganization } from '#test/support/sample-requests.ts';

const api = useApi();
const owner = shared(seedPerson);
const newCustomer = () => withNewOrganization(api, { ...owner });

async function press(page: string, fields: Record<string, string>): Promise<string> {
  const response = await fetch(page, { method: 'POST', body: new URLSearchParams(fields), redirect: 'manual' });
  expect(response.status).toBe(303);
  return response.headers.get('location') ?? '';
}

async function pageText(url: string): Promise<string> {
  const response = await fetch(url);
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toContain('text/html');
  return response.text();
}

const checkout = (person: Person, plan = 'pro'): Promise<Answer> =>
  api.post(`/billing/${person.organization.id}/checkout`, { plan }, person.session);

const portal = (person: Person): Promise<Answer> =>
  api.post(`/billing/${person.organization.id}/portal`, undefined, person.session);

const billingOf = async (person: Person) => (await api.get(`/billing/${person.organization.id}`, person.session)).body;

const subscriptionIdOf = async (person: Person): Promise<string> =>
  (await find(at(organizationRecord, person.organization.slug)))?.billing?.subscriptionId ?? '';

async function actionsOf(person: Person): Promise<string[]> {
  const { body } = await api.get(`/audit/${person.organization.id}`, person.session);
  const actions: string[] = body.entries.map(({ action }: { action: string }) => action);
  return actions.filter(action => action.includes('billing'));
}

async function subscriber() {
  const person = await newCustomer();
  await press((await checkout(person)).body.url, { action: 'pay' });
  const page: string = (await portal(person)).body.url;
  const subscription = await subscriptionIdOf(person);
  const choose = (action: string) => press(page, { action, subscription });
  return { person, subscription, choose };
}

it('billing returns every plan’s limits, as configured, for choosing a plan', async () => {
  const person = await newCustomer();
  const platform = await seedPerson({ isAdmin: true });
  const raised = await api.put('/admin/plans/pro', { limits: { maxWebhooks: 77 } }, platform.session);
  expect(raised.status).toBe(200);

  const { plans, limits, forSale } = await billingOf(person);

  expect(plans.map(({ name }: { name: string }) => name)).toEqual(['free', 'pro', 'enterprise']);
  expect(plans[0].limits).toEqual(limits);
  expect(plans[1].limits).toMatchObject({ ...defaultLimits.pro, maxWebhooks: 77 });
  expect(forSale).toEqual(['pro', 'enterprise']);
});

describe('a checkout', () => {
  it('can be completed, upgrades the plan at once, and redirects back to the dashboard', async () => {
    const person = await newCustomer();
    const started = await checkout(person);
    const html = await pageText(started.body.url);
    const back = await press(started.body.url, { action: 'pay' });

    expect(started.status).toBe(200);
    expect(html).toContain('>Pay</button>');
    expect(back).toBe(`${new URL(api.url).origin}/organizations/${person.organization.slug}/billing?checkout=success`);
    expect(await billingOf(person)).toMatchObject({
      plan: 'pro',
      status: 'active',
      limits: { maxProjects: 100 },
      currentPeriodEnd: expect.stringMatching(/Z$/),
    });
    expect(await actionsOf(person)).toEqual(['billing.plan_changed', 'billing.checkout_started']);
  });

  it('changes nothing when it is cancelled', async () => {
    const person = await newCustomer();
    const { body } = await checkout(person);

    expect(await press(body.url, { action: 'cancel' })).toContain('checkout=cancelled');
    expect(await billingOf(person)).toMatchObject({ plan: 'free', status: 'none' });
  });

  it('creates one subscription, even if it is paid for twice', async () => {
    const person = await newCustomer();
    const { body } = await checkout(person);

    await Promise.all([press(body.url, { action: 'pay' }), press(body.url, { action: 'pay' })]);
    const first = await subscriptionIdOf(person);
    await press(body.url, { action: 'pay' });

    expect(await subscriptionIdOf(person)).toBe(first);
    expect((await pageText((await portal(person)).body.url)).match(/<section>/g)).toHaveLength(1);
  });

  it('creates one customer when two start concurrently', async () => {
    const person = await newCustomer();
    const answers = await Promise.all([checkout(person), checkout(person, 'enterprise'), portal(person)]);

    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    const { id: organizationId, slug: orgSlug } = person.organization;
    const customerId = (await find(at(organizationRecord, orgSlug)))?.billing?.customerId ?? '';
    expect(await find(at(customerRecord, customerId))).toEqual({ organizationId, orgSlug });
    const [started, , page] = answers.map(({ body }) => body.url);
    await Promise.all([press(started, { action: 'pay' }), pageText(page)]);
    expect(await pageText(page)).toContain('<section>');
  });

  it('redirects a paying customer to the page that changes the subscription, so no one pays twice', async () => {
    const { person, subscription } = await subscriber();
    const { body } = await checkout(person, 'enterprise');
    await press(body.url, { action: 'switch:enterprise', subscription });

    expect(body.url).toContain('/portal/');
    expect(await billingOf(person)).toMatchObject({ plan: 'enterprise', limits: { maxProjects: -1 } });
    expect(await subscriptionIdOf(person)).toBe(subscription);
  });

  it.each([{ plan: 'free' }, { plan: 'gold' }, {}, { plan: 'pro', returnUrl: 'https://evil.example' }])(
    'rejects %j',
    async body => {
      const { organization, session } = await newCustomer();

      expect(codeOf(await api.post(`/billing/${organization.id}/checkout`, body, session))).toBe('400 invalid_request');
    },
  );
});

describe('the portal', () => {
  it('downgrades the plan when the subscription is cancelled, and deletes nothing', async () => {
    const { person, choose } = await subscriber();
    const create = (name: string) => api.post(`/projects/${person.organization.id}`, { name }, person.session);
    for (let number = 1; number <= 11; number += 1) await create(`Project ${number}`);

    await choose('cancel');

    expect(await billingOf(person)).toMatchObject({
      plan: 'free',
      status: 'canceled',
      limits: { maxProjects: 10 },
      usage: { projects: 11, environments: 33 },
    });
    const growth = await create('One more');
    expect(codeOf(growth)).toBe('402 plan_limit_exceeded');
    expect(growth.body.error.details).toMatchObject({ limit: 'maxProjects', value: 10, used: 11 });
  });

  it('shows a failed payment and its settlement', async () => {
    const { person, choose } = await subscriber();

    await choose('fail');
    const failed = await billingOf(person);
    await choose('pay');

    expect(failed).toMatchObject({ plan: 'pro', status: 'past_due' });
    expect(await billingOf(person)).toMatchObject({ plan: 'pro', status: 'active' });
  });

  it('keeps the plan until the end of the paid period', async () => {
    const { person, choose } = await subscriber();

    await choose('cancel-at-period-end');
    const cancelled = await billingOf(person);
    await choose('next-period');

    expect(cancelled).toMatchObject({ plan: 'pro', status: 'active' });
    expect(await billingOf(person)).toMatchObject({ plan: 'free', status: 'canceled' });
  });

  it('extends the period when the next one starts', async () => {
    const { person, choose } = await subscriber();
    const { currentPeriodEnd } = await billingOf(person);

    await choose('next-period');

    expect(Date.parse((await billingOf(person)).currentPeriodEnd)).toBeGreaterThan(Date.parse(currentPeriodEnd));
  });

  it('lets a customer who cancelled subscribe again', async () => {
    const { person, subscription, choose } = await subscriber();
    await choose('cancel');

    const { body } = await checkout(person, 'enterprise');
    await press(body.url, { action: 'pay' });

    expect(await billingOf(person)).toMatchObject({ plan: 'enterprise', status: 'active' });
    expect(await subscriptionIdOf(person)).not.toBe(subscription);
  });
});

describe('deleting an organization', () => {
  it('cancels its subscription, which no one could cancel afterwards', async () => {
    const { person, subscription } = await subscriber();

    await api.delete(`/orgs/${person.organization.id}`, person.session);

    await eventually(async () => expect(await statusAtProvider(subscription)).toBe('canceled'));
  });

  async function statusAtProvider(subscription: string): Promise<string> {
    const headers = { authorization: `Bearer ${process.env.STRIPE_SECRET_KEY}` };
    const response = await fetch(`${process.env.STRIPE_API_BASE}/v1/subscriptions/${subscription}`, { headers });
    return ((await response.json()) as { status: string }).status;
  }
});

describe('billing without the provider', () => {
  it.each([
    ['checkout', checkout, { STRIPE_SECRET_KEY: '' }],
    ['checkout', checkout, { STRIPE_PRICE_PRO: '' }],
    ['portal', portal, { STRIPE_SECRET_KEY: '' }],
  ])('returns 503 for a %s if it is not configured', async (_, open, settings) => {
    const person = await newCustomer();
    useSettings(settings);

    expect(codeOf(await open(person))).toBe('503 billing_not_configured');
  });

  it('offers no plan that has no price', async () => {
    const person = await newCustomer();
    useSettings({ STRIPE_PRICE_PRO: '' });
    expect((await billingOf(person)).forSale).toEqual(['enterprise']);
    useSettings({ STRIPE_PRICE_PRO: '', STRIPE_PRICE_ENTERPRISE: '' });
    expect((await billingOf(person)).forSale).toEqual([]);
  });

  it('rejects an event if no secret is configured, without reporting an outage', async () => {
    useSettings({ STRIPE_WEBHOOK_SECRET: '' });

    expect(codeOf(await api.post('/billing/webhook', {}))).toBe('400 invalid_signature');
  });

  it.each([
    ['refuses the key', { STRIPE_SECRET_KEY: 'sk_test_wrong_key' }],
    ['cannot be reached', { STRIPE_API_BASE: 'http://127.0.0.1:1' }],
  ])('returns 502 without any of the provider’s details if it %s', async (_, settings) => {
    const person = await newCustomer();
    useSettings(settings);

    const answer = await checkout(person);

    expect(codeOf(answer)).toBe('502 billing_provider_error');
    expect(JSON.stringify(answer.body)).not.toMatch(/sk_test|stripe|127\.0\.0\.1/i);
    expect(await actionsOf(person)).toEqual([]);
  });
});
