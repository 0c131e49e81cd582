import { describe, expect, it, vi } from 'vitest';
import { defaultLimits } from '#lib/contracts/fields/limits.ts';
import { resetProcessMemory } from '#lib/core/process-memory.ts';
import { at, find } from '#lib/table/read.ts';
import { organizationRecord } from '#lib/table/records/organization.ts';
import { customerRecord } from '#lib/table/records/platform.ts';
import { type Answer, startApi } from '#test/support/api.ts';
import { shared } from '#test/support/fixtures.ts';
import { type Person, seedPerson } from '#test/support/people.ts';

const api = shared(startApi);
const owner = shared(seedPerson);

/** An organization without a subscription, and its owner. Seeded, because hashing a password for each is slow. */
async function newCustomer(): Promise<Person> {
  const { body } = await api.post('/orgs', { name: 'Customer' }, owner.session);
  return { ...owner, organization: body.organization };
}

/** Clicks a button on a hosted page. Returns the address it redirects to. */
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
  return body.entries
    .map(({ action }: { action: string }) => action)
    .filter((action: string) => /billing/.test(action));
}

it('billing returns every plan’s limits, as configured, for choosing a plan', async () => {
  const person = await newCustomer();
  const platform = await seedPerson({ isAdmin: true });
  const raised = await api.put('/admin/plans/pro', { limits: { maxWebhooks: 77 } }, platform.session);
  expect(raised.status).toBe(200);

  const { plans, limits } = await billingOf(person);

  expect(plans.map(({ name }: { name: string }) => name)).toEqual(['free', 'pro', 'enterprise']);
  expect(plans[0].limits).toEqual(limits);
  expect(plans[1].limits).toEqual({ ...defaultLimits.pro, maxWebhooks: 77 });
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

    const back = await press(body.url, { action: 'cancel' });

    expect(back).toContain('checkout=cancelled');
    expect(await billingOf(person)).toMatchObject({ plan: 'free', status: 'none' });
  });

  it('creates one subscription, even if it is paid for twice', async () => {
    const person = await newCustomer();
    const { body } = await checkout(person);

    await Promise.all([press(body.url, { action: 'pay' }), press(body.url, { action: 'pay' })]);
    const first = await subscriptionIdOf(person);
    await press(body.url, { action: 'pay' });

    expect(await subscriptionIdOf(person)).toBe(first);
    expect(await pageText((await portal(person)).body.url)).toSatisfy(
      (html: string) => html.split('<section>').length === 2,
    );
  });

  it('creates one customer when two start concurrently', async () => {
    const person = await newCustomer();

    const answers = await Promise.all([checkout(person), checkout(person, 'enterprise'), portal(person)]);

    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    const customerId = (await find(at(organizationRecord, person.organization.slug)))?.billing?.customerId ?? '';
    expect(await find(at(customerRecord, customerId))).toEqual({
      organizationId: person.organization.id,
      orgSlug: person.organization.slug,
    });
    const paid = await Promise.all([press(answers[0]?.body.url, { action: 'pay' }), pageText(answers[2]?.body.url)]);
    expect(paid).toHaveLength(2);
    expect(await pageText(answers[2]?.body.url)).toContain('<section>');
  });

  it('redirects a paying customer to the page that changes the subscription, so no one pays twice', async () => {
    const person = await newCustomer();
    await press((await checkout(person)).body.url, { action: 'pay' });
    const subscription = await subscriptionIdOf(person);

    const { body } = await checkout(person, 'enterprise');
    await press(body.url, { action: 'switch:enterprise', subscription });

    expect(body.url).toContain('/portal/');
    expect(await billingOf(person)).toMatchObject({ plan: 'enterprise', limits: { maxProjects: -1 } });
    expect(await subscriptionIdOf(person)).toBe(subscription);
  });

  it.each([{ plan: 'free' }, { plan: 'gold' }, {}, { plan: 'pro', returnUrl: 'https://evil.example' }])(
    'rejects %j',
    async body => {
      const person = await newCustomer();

      const answer = await api.post(`/billing/${person.organization.id}/checkout`, body, person.session);

      expect(answer).toMatchObject({ status: 400, body: { error: { code: 'invalid_request' } } });
    },
  );
});

describe('the portal', () => {
  async function customer(): Promise<{ person: Person; page: string; subscription: string }> {
    const person = await newCustomer();
    await press((await checkout(person)).body.url, { action: 'pay' });
    const { body } = await portal(person);
    return { person, page: body.url, subscription: await subscriptionIdOf(person) };
  }

  it('downgrades the plan when the subscription is cancelled, and deletes nothing', async () => {
    const { person, page, subscription } = await customer();
    for (let number = 1; number <= 11; number += 1) {
      await api.post(`/projects/${person.organization.id}`, { name: `Project ${number}` }, person.session);
    }

    await press(page, { action: 'cancel', subscription });

    expect(await billingOf(person)).toMatchObject({
      plan: 'free',
      status: 'canceled',
      limits: { maxProjects: 10 },
      usage: { projects: 11, environments: 33 },
    });
    const growth = await api.post(`/projects/${person.organization.id}`, { name: 'One more' }, person.session);
    expect(growth).toMatchObject({
      status: 402,
      body: { error: { code: 'plan_limit_exceeded', details: { limit: 'maxProjects', value: 10, used: 11 } } },
    });
  });

  it('shows a failed payment and its settlement', async () => {
    const { person, page, subscription } = await customer();

    await press(page, { action: 'fail', subscription });
    const failed = await billingOf(person);
    await press(page, { action: 'pay', subscription });

    expect(failed).toMatchObject({ plan: 'pro', status: 'past_due' });
    expect(await billingOf(person)).toMatchObject({ plan: 'pro', status: 'active' });
  });

  it('keeps the plan until the end of the paid period', async () => {
    const { person, page, subscription } = await customer();

    await press(page, { action: 'cancel-at-period-end', subscription });
    const cancelled = await billingOf(person);
    await press(page, { action: 'next-period', subscription });

    expect(cancelled).toMatchObject({ plan: 'pro', status: 'active' });
    expect(await billingOf(person)).toMatchObject({ plan: 'free', status: 'canceled' });
  });

  it('extends the period when the next one starts', async () => {
    const { person, page, subscription } = await customer();
    const before = await billingOf(person);

    await press(page, { action: 'next-period', subscription });

    expect(Date.parse((await billingOf(person)).currentPeriodEnd)).toBeGreaterThan(Date.parse(before.currentPeriodEnd));
  });

  it('lets a customer who cancelled subscribe again', async () => {
    const { person, page, subscription } = await customer();
    await press(page, { action: 'cancel', subscription });

    const { body } = await checkout(person, 'enterprise');
    await press(body.url, { action: 'pay' });

    expect(await billingOf(person)).toMatchObject({ plan: 'enterprise', status: 'active' });
    expect(await subscriptionIdOf(person)).not.toBe(subscription);
  });
});

describe('deleting an organization', () => {
  it('cancels its subscription, which no one could cancel afterwards', async () => {
    const person = await newCustomer();
    await press((await checkout(person)).body.url, { action: 'pay' });
    const subscription = await subscriptionIdOf(person);

    await api.delete(`/orgs/${person.organization.id}`, person.session);

    await expect.poll(() => statusAtProvider(subscription)).toBe('canceled');
  });

  async function statusAtProvider(subscription: string): Promise<string> {
    const response = await fetch(`${process.env.STRIPE_API_BASE}/v1/subscriptions/${subscription}`, {
      headers: { authorization: `Bearer ${process.env.STRIPE_SECRET_KEY}` },
    });
    return ((await response.json()) as { status: string }).status;
  }
});

describe('billing without the provider', () => {
  async function withSettings<T>(changes: Record<string, string>, work: () => Promise<T>): Promise<T> {
    for (const [name, value] of Object.entries(changes)) vi.stubEnv(name, value);
    resetProcessMemory('settings');
    try {
      return await work();
    } finally {
      vi.unstubAllEnvs();
      resetProcessMemory('settings');
    }
  }

  it.each([
    ['checkout', () => ({ STRIPE_SECRET_KEY: '' })],
    ['checkout', () => ({ STRIPE_PRICE_PRO: '' })],
    ['portal', () => ({ STRIPE_SECRET_KEY: '' })],
  ])('returns 503 for a %s if it is not configured', async (what, changes) => {
    const person = await newCustomer();

    const answer = await withSettings(changes(), () => (what === 'portal' ? portal(person) : checkout(person)));

    expect(answer).toMatchObject({ status: 503, body: { error: { code: 'billing_not_configured' } } });
  });

  it('rejects an event if no secret is configured, without reporting an outage', async () => {
    const answer = await withSettings({ STRIPE_WEBHOOK_SECRET: '' }, () => api.post('/billing/webhook', {}));

    expect(answer).toMatchObject({ status: 400, body: { error: { code: 'invalid_signature' } } });
  });

  it.each([
    ['refuses the key', { STRIPE_SECRET_KEY: 'sk_test_wrong_key' }],
    ['cannot be reached', { STRIPE_API_BASE: 'http://127.0.0.1:1' }],
  ])('returns 502 without any of the provider’s details if it %s', async (_, changes) => {
    const person = await newCustomer();

    const answer = await withSettings(changes, () => checkout(person));

    expect(answer).toMatchObject({ status: 502, body: { error: { code: 'billing_provider_error' } } });
    expect(JSON.stringify(answer.body)).not.toMatch(/sk_test|stripe|127\.0\.0\.1/i);
    expect(await actionsOf(person)).toEqual([]);
  });
});
