import Stripe from 'stripe';
import { afterEach, describe, expect, it } from 'vitest';
import { type PaymentProvider, startPaymentProvider } from '#infra/local/stand-ins/payment/payment-provider.ts';
import { eventually } from '#test/support/eventually.ts';
import { scratchDirectory, shared } from '#test/support/fixtures.ts';
import { startReceiver } from '#test/support/receiver.ts';

const secretKey = 'sk_test_of_this_test';
const webhookSecret = 'whsec_of_this_test';
const directory = scratchDirectory();
let answerStatus = 200;
const running: PaymentProvider[] = [];
const service = shared(() => startReceiver(response => response.writeHead(answerStatus).end()));
const events = () => service.received.map(({ body }): Stripe.Event => JSON.parse(body.toString()));
const typesOfEvents = () => events().map(({ type }) => type);
const allTypes = ['checkout.session.completed', 'customer.subscription.created', 'invoice.paid'];

afterEach(async () => {
  answerStatus = 200;
  service.received.length = 0;
  await Promise.all(running.splice(0).map(provider => provider.stop()));
});

async function start(where?: string): Promise<{ provider: PaymentProvider; client: Stripe }> {
  const provider = await startPaymentProvider(where, {
    secretKey,
    webhookSecret,
    webhookUrl: `${service.url}/`,
    plans: { price_pro: 'pro', price_enterprise: 'enterprise' },
  });
  running.push(provider);
  return { provider, client: clientOf(provider, secretKey) };
}

function clientOf(provider: PaymentProvider, key: string): Stripe {
  const { hostname: host, port } = new URL(provider.url);
  return new Stripe(key, { host, port, protocol: 'http', maxNetworkRetries: 0, telemetry: false });
}

async function checkoutOf(client: Stripe, name = 'Analytical Engines') {
  const customer = await client.customers.create({ name });
  const session = await client.checkout.sessions.create({
    mode: 'subscription',
    customer: customer.id,
    client_reference_id: 'reference',
    line_items: [{ price: 'price_pro', quantity: 1 }],
    metadata: { plan: 'pro' },
    subscription_data: { metadata: { plan: 'pro', 'odd [name]': 'a&b=ü' } },
    success_url: 'https://dashboard.example/done?session={CHECKOUT_SESSION_ID}',
    cancel_url: 'https://dashboard.example/back',
  });
  return { customer, session, url: session.url ?? '' };
}

const press = (url: string, action: string, more: Record<string, string> = {}): Promise<Response> =>
  fetch(url, { method: 'POST', body: new URLSearchParams({ action, ...more }), redirect: 'manual' });

describe('the payment provider’s stand-in', () => {
  it('sends signed events that the provider’s own library accepts, in the order in which they happened', async () => {
    const { client } = await start();
    const { session, url } = await checkoutOf(client);

    const answer = await press(url, 'pay');

    expect(answer.headers.get('location')).toBe(`https://dashboard.example/done?session=${session.id}`);
    expect(typesOfEvents()).toEqual(allTypes);
    for (const { body, headers } of service.received) {
      const signature = String(headers['stripe-signature']);
      expect(Stripe.webhooks.constructEvent(body, signature, webhookSecret)).toMatchObject({ object: 'event' });
    }
    const metadata = { plan: 'pro', 'odd [name]': 'a&b=ü' };
    expect(events()[1]?.data.object).toMatchObject({ status: 'active', metadata });
  });

  it('rejects a wrong key, an unknown price and unknown requests like the provider', async () => {
    const { provider, client } = await start();
    const { customer } = await checkoutOf(client);

    await expect(clientOf(provider, 'sk_test_other').customers.create({})).rejects.toMatchObject({ statusCode: 401 });
    await expect(client.subscriptions.retrieve('sub_unknown')).rejects.toMatchObject({ code: 'resource_missing' });
    await expect(client.refunds.list()).rejects.toMatchObject({ statusCode: 404 });
    await expect(
      client.checkout.sessions.create({
        mode: 'subscription',
        customer: customer.id,
        line_items: [{ price: 'price_other', quantity: 1 }],
        success_url: 'https://a.example',
        cancel_url: 'https://a.example',
      }),
    ).rejects.toMatchObject({ code: 'resource_missing' });
  });

  it('returns the same customer for the same idempotency key and rejects it for another request', async () => {
    const { client } = await start();
    const create = (name: string) => client.customers.create({ name }, { idempotencyKey: 'one' });

    const [first, second] = await Promise.all([create('Ada'), create('Ada')]);

    expect(second.id).toBe(first.id);
    await expect(create('Grace')).rejects.toMatchObject({ type: 'StripeIdempotencyError' });
  });

  it('escapes the texts on its pages', async () => {
    const { client } = await start();
    const { url } = await checkoutOf(client, '<script>alert("1")</script>');

    const html = await (await fetch(url)).text();

    expect(html).not.toContain('<script>');
    expect(html).toContain('&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;');
  });

  it('keeps its state after a restart', async () => {
    const first = await start(directory);
    const { customer, url } = await checkoutOf(first.client);
    await press(url, 'pay');
    await first.provider.stop();
    running.splice(0);

    const { client } = await start(directory);
    const wanted = { customer: customer.id, return_url: 'https://a.example' };
    const portal = await client.billingPortal.sessions.create(wanted);

    expect(await (await fetch(portal.url)).text()).toContain('pro <span class="active">');
  });

  it('repeats an event until it is accepted', async () => {
    const { client } = await start();
    const { url } = await checkoutOf(client);
    answerStatus = 503;
    const paying = press(url, 'pay');
    await eventually(() => expect(service.received).toHaveLength(1));

    answerStatus = 200;
    await paying;

    expect(typesOfEvents()).toEqual(['checkout.session.completed', ...allTypes]);
    expect(events()[1]?.id).toBe(events()[0]?.id);
  });

  it('sends events that were not accepted before a restart again after it', async () => {
    const first = await start(directory);
    const { url } = await checkoutOf(first.client);
    answerStatus = 500;
    const paying = press(url, 'pay').catch(() => undefined);
    await eventually(() => expect(service.received).toHaveLength(1));
    await first.provider.stop();
    running.splice(0);
    await paying;
    service.received.length = 0;

    answerStatus = 200;
    await start(directory);

    await eventually(() => expect(typesOfEvents()).toEqual(allTypes));
  });
});
