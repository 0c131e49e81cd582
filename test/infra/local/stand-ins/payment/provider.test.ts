import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Stripe from 'stripe';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type PaymentProvider, startPaymentProvider } from '#infra/local/stand-ins/payment/payment-provider.ts';

const secretKey = 'sk_test_of_this_test';
const webhookSecret = 'whsec_of_this_test';
const directory = mkdtempSync(join(tmpdir(), 'payment-provider-'));

/** The events that the service received, and the status it returns. */
const received: { event: Stripe.Event; signature: string; body: string }[] = [];
let answerStatus = 200;
let webhookUrl = '';
const running: PaymentProvider[] = [];

const service = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', chunk => chunks.push(chunk));
  request.on('end', () => {
    const body = Buffer.concat(chunks).toString('utf8');
    const signature = String(request.headers['stripe-signature']);
    received.push({ event: JSON.parse(body), signature, body });
    response.writeHead(answerStatus).end();
  });
});

beforeAll(async () => {
  await new Promise<void>(resolve => service.listen(0, '127.0.0.1', resolve));
  const address = service.address();
  webhookUrl = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/`;
});
afterEach(async () => {
  answerStatus = 200;
  received.length = 0;
  await Promise.all(running.splice(0).map(provider => provider.stop()));
});
afterAll(() => {
  service.close();
  rmSync(directory, { recursive: true });
});

async function start(where?: string): Promise<{ provider: PaymentProvider; client: Stripe }> {
  const provider = await startPaymentProvider(where, {
    secretKey,
    webhookSecret,
    webhookUrl,
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

function press(url: string, action: string, more: Record<string, string> = {}): Promise<Response> {
  return fetch(url, { method: 'POST', body: new URLSearchParams({ action, ...more }), redirect: 'manual' });
}

describe('the payment provider’s stand-in', () => {
  it('sends signed events that the provider’s own library accepts, in the order in which they happened', async () => {
    const { client } = await start();
    const { session, url } = await checkoutOf(client);

    const answer = await press(url, 'pay');

    expect(answer.headers.get('location')).toBe(`https://dashboard.example/done?session=${session.id}`);
    expect(received.map(({ event }) => event.type)).toEqual([
      'checkout.session.completed',
      'customer.subscription.created',
      'invoice.paid',
    ]);
    for (const { body, signature } of received) {
      expect(Stripe.webhooks.constructEvent(body, signature, webhookSecret)).toMatchObject({ object: 'event' });
    }
    expect(received[1]?.event.data.object).toMatchObject({
      status: 'active',
      metadata: { plan: 'pro', 'odd [name]': 'a&b=ü' },
    });
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
    const portal = await client.billingPortal.sessions.create({
      customer: customer.id,
      return_url: 'https://a.example',
    });

    expect(await (await fetch(portal.url)).text()).toContain('pro <span class="active">');
  });

  it('repeats an event until it is accepted', async () => {
    const { client } = await start();
    const { url } = await checkoutOf(client);
    answerStatus = 503;
    const paying = press(url, 'pay');
    await expect.poll(() => received.length).toBe(1);

    answerStatus = 200;
    await paying;

    expect(received.map(({ event }) => event.type)).toEqual([
      'checkout.session.completed',
      'checkout.session.completed',
      'customer.subscription.created',
      'invoice.paid',
    ]);
    expect(received[1]?.event.id).toBe(received[0]?.event.id);
  });

  it('sends events that were not accepted before a restart again after it', async () => {
    const first = await start(directory);
    const { url } = await checkoutOf(first.client);
    answerStatus = 500;
    const paying = press(url, 'pay').catch(() => undefined);
    await expect.poll(() => received.length).toBe(1);
    await first.provider.stop();
    running.splice(0);
    await paying;
    received.length = 0;

    answerStatus = 200;
    await start(directory);

    await expect
      .poll(() => received.map(({ event }) => event.type))
      .toEqual(['checkout.session.completed', 'customer.subscription.created', 'invoice.paid']);
  });
});
