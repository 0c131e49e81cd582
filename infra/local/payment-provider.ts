import { createHash, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { DatabaseSync } from 'node:sqlite';
import { openDatabase } from './data-directory.ts';
import { type EventSender, startEventSender } from './payment-events.ts';
import { checkoutPage, notFoundPage, portalPage, type SubscriptionView } from './payment-pages.ts';

export interface PaymentProviderOptions {
  /** What calls of the API must carry as their bearer key. */
  secretKey: string;
  /** What events are signed with. */
  webhookSecret: string;
  /** Where events go. */
  webhookUrl: string;
  /** Price id → the plan it is for. */
  plans: Readonly<Record<string, string>>;
}

export interface PaymentProvider {
  /** Base address of its API, and of its hosted pages. */
  url: string;
  stop: () => Promise<void>;
}

type Metadata = Record<string, string>;

interface Customer {
  id: string;
  object: 'customer';
  name: string;
  metadata: Metadata;
}

interface CheckoutSession {
  id: string;
  object: 'checkout.session';
  mode: 'subscription';
  status: 'open' | 'complete' | 'expired';
  payment_status: 'unpaid' | 'paid';
  client_reference_id: string | null;
  customer: string;
  subscription: string | null;
  metadata: Metadata;
  success_url: string;
  cancel_url: string;
  url: string | null;
}

interface PortalSession {
  id: string;
  object: 'billing_portal.session';
  customer: string;
  return_url: string;
  url: string;
}

interface Subscription {
  id: string;
  object: 'subscription';
  customer: string;
  status: 'active' | 'past_due' | 'canceled';
  cancel_at_period_end: boolean;
  metadata: Metadata;
  items: {
    object: 'list';
    data: { id: string; price: { id: string }; current_period_start: number; current_period_end: number }[];
  };
}

/** A refusal in the provider's shape: https://docs.stripe.com/api/errors */
class ProviderError extends Error {
  readonly status: number;
  readonly content: Record<string, string>;

  constructor(status: number, type: string, message: string, more: Record<string, string> = {}) {
    super(message);
    this.status = status;
    this.content = { type, message, ...more };
  }
}

const monthSeconds = 30 * 86_400;
const maximumFormBytes = 256 * 1024;
const shownPrices: Readonly<Record<string, string>> = { pro: '$29', enterprise: '$299' };

/**
 * A stand-in for Stripe: the parts of its API that the service calls, its hosted checkout and portal as pages to click
 * through, and its signed events. A customer or subscription that it does not know is taken as one from before its own
 * state was lost.
 */
export async function startPaymentProvider(
  directory: string | undefined,
  options: PaymentProviderOptions,
): Promise<PaymentProvider> {
  const database = openDatabase(directory, 'payment-provider.db');
  const store = openStore(database);
  const events = startEventSender(database, { url: options.webhookUrl, secret: options.webhookSecret });
  const server = createServer((request, response) => {
    void answer(request, response);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port.');
  const url = `http://127.0.0.1:${address.port}`;
  const api = createApi(store, options, url, events);
  const pages = createPages(store, options, events);

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = new URL(request.url ?? '/', url).pathname;
    try {
      const form = await readForm(request);
      if (path.startsWith('/v1/')) {
        const content = idempotently(store, request, path, form, () => {
          requireKey(request, options.secretKey);
          return api(request.method ?? '', path.slice('/v1'.length), form);
        });
        respondJson(response, 200, content);
        return;
      }
      const result = await pages(request.method ?? '', path, form);
      if ('redirect' in result) response.writeHead(303, { location: result.redirect }).end();
      else respondHtml(response, result.found ? 200 : 404, result.html);
    } catch (error) {
      const refusal =
        error instanceof ProviderError ? error : new ProviderError(500, 'api_error', 'The stand-in has failed.');
      if (refusal !== error) console.error(error);
      respondJson(response, refusal.status, { error: refusal.content });
    }
  }

  return {
    url,
    async stop() {
      await events.stop();
      await new Promise(resolve => {
        server.close(resolve);
        server.closeAllConnections();
      });
      database.close();
    },
  };
}

/** Objects by id, as JSON. */
interface Store {
  get<T>(id: string): T | undefined;
  set(object: { id: string; customer?: string }): void;
  subscriptionsOf(customer: string): Subscription[];
  replay(key: string): { fingerprint: string; answer: string } | undefined;
  remember(key: string, fingerprint: string, answer: unknown): void;
}

function openStore(database: DatabaseSync): Store {
  database.exec(`
    CREATE TABLE IF NOT EXISTS objects (id TEXT PRIMARY KEY, customer TEXT, content TEXT) STRICT;
    CREATE INDEX IF NOT EXISTS of_customer ON objects (customer);
    CREATE TABLE IF NOT EXISTS replays (key TEXT PRIMARY KEY, fingerprint TEXT, answer TEXT) STRICT;
  `);
  const get = database.prepare('SELECT content FROM objects WHERE id = ?');
  const set = database.prepare('INSERT OR REPLACE INTO objects (id, customer, content) VALUES (?, ?, ?)');
  const ofCustomer = database.prepare(
    "SELECT content FROM objects WHERE customer = ? AND id LIKE 'sub%' ORDER BY rowid",
  );
  const replay = database.prepare('SELECT fingerprint, answer FROM replays WHERE key = ?');
  const remember = database.prepare('INSERT INTO replays (key, fingerprint, answer) VALUES (?, ?, ?)');
  return {
    get: <T>(id: string) => {
      const row = get.get(id);
      return row === undefined ? undefined : (JSON.parse(String(row.content)) as T);
    },
    set: object => {
      set.run(object.id, object.customer ?? null, JSON.stringify(object));
    },
    subscriptionsOf: customer => ofCustomer.all(customer).map(row => JSON.parse(String(row.content)) as Subscription),
    replay: key => {
      const row = replay.get(key);
      return row === undefined ? undefined : { fingerprint: String(row.fingerprint), answer: String(row.answer) };
    },
    remember: (key, fingerprint, answer) => {
      remember.run(key, fingerprint, JSON.stringify(answer));
    },
  };
}

function createApi(store: Store, options: PaymentProviderOptions, url: string, events: EventSender) {
  const knownCustomer = (id: string): Customer => {
    const known = store.get<Customer>(id);
    if (known !== undefined) return known;
    const adopted: Customer = { id, object: 'customer', name: id, metadata: {} };
    store.set(adopted);
    return adopted;
  };
  const create: Readonly<Record<string, (form: URLSearchParams) => object>> = {
    '/customers': form => {
      const customer: Customer = {
        id: newId('cus'),
        object: 'customer',
        name: form.get('name') ?? '',
        metadata: metadataOf(form, 'metadata'),
      };
      store.set(customer);
      return customer;
    },
    '/checkout/sessions': form => {
      if (form.get('mode') !== 'subscription') throw invalid('mode', 'The stand-in sells subscriptions only.');
      const price = required(form, 'line_items[0][price]');
      if (options.plans[price] === undefined) throw missing('line_items[0][price]', `No such price: '${price}'`);
      const id = newId('cs_test');
      const session: CheckoutSession = {
        id,
        object: 'checkout.session',
        mode: 'subscription',
        status: 'open',
        payment_status: 'unpaid',
        client_reference_id: form.get('client_reference_id'),
        customer: knownCustomer(required(form, 'customer')).id,
        subscription: null,
        metadata: metadataOf(form, 'metadata'),
        success_url: required(form, 'success_url'),
        cancel_url: required(form, 'cancel_url'),
        url: `${url}/checkout/${id}`,
      };
      store.set({ ...session });
      store.set({ id: `${id}/order`, price, metadata: metadataOf(form, 'subscription_data[metadata]') } as Order);
      return session;
    },
    '/billing_portal/sessions': form => {
      const id = newId('bps');
      const customer = knownCustomer(required(form, 'customer')).id;
      const changed = form.get('flow_data[subscription_update][subscription]');
      if (changed !== null && store.get(changed) === undefined) {
        store.set(newSubscription(changed, customer, Object.keys(options.plans)[0] ?? '', {}));
      }
      const session: PortalSession = {
        id,
        object: 'billing_portal.session',
        customer,
        return_url: required(form, 'return_url'),
        url: `${url}/portal/${id}`,
      };
      store.set(session);
      return session;
    },
  };

  return (method: string, path: string, form: URLSearchParams): object => {
    const make = method === 'POST' && Object.hasOwn(create, path) ? create[path] : undefined;
    if (make !== undefined) return make(form);
    const [, id] = /^\/(?:customers|checkout\/sessions|subscriptions)\/(\w+)$/.exec(path) ?? [];
    const object = id === undefined ? undefined : store.get<object>(id);
    if (id === undefined || !(method === 'GET' || method === 'DELETE')) {
      throw new ProviderError(404, 'invalid_request_error', `Unrecognized request URL (${method}: ${path}).`);
    }
    if (object === undefined) throw missing('id', `No such object: '${id}'`);
    if (method === 'GET') return object;
    const subscription = object as Subscription;
    if (subscription.object !== 'subscription' || subscription.status === 'canceled') {
      throw missing('id', `No such subscription: '${id}'`);
    }
    const canceled: Subscription = { ...subscription, status: 'canceled' };
    store.set(canceled);
    void events.send('customer.subscription.deleted', { ...canceled });
    return canceled;
  };
}

/** What a checkout session will make, which the provider does not show on the session itself. */
interface Order {
  id: string;
  price: string;
  metadata: Metadata;
}

type PageResult = { redirect: string } | { found: boolean; html: string };

function createPages(store: Store, { plans }: PaymentProviderOptions, events: EventSender) {
  return async (method: string, path: string, form: URLSearchParams): Promise<PageResult> => {
    const [, kind, id = ''] = /^\/(checkout|portal)\/(\w+)$/.exec(path) ?? [];
    if (kind === 'checkout') {
      const session = store.get<CheckoutSession>(id);
      if (session?.object === 'checkout.session') return checkout(method, session, form.get('action'));
    } else if (kind === 'portal') {
      const session = store.get<PortalSession>(id);
      if (session?.object === 'billing_portal.session') return portal(method, session, form);
    }
    return { found: false, html: notFoundPage() };
  };

  async function checkout(method: string, session: CheckoutSession, action: string | null): Promise<PageResult> {
    const order = store.get<Order>(`${session.id}/order`);
    if (order === undefined) return { found: false, html: notFoundPage() };
    if (method === 'POST' && action === 'cancel') return { redirect: session.cancel_url };
    const successUrl = session.success_url.replace('{CHECKOUT_SESSION_ID}', session.id);
    if (method === 'POST' && action === 'pay') {
      // Paid twice by a second click, it is still one subscription.
      if (session.status === 'open') await pay(session, order);
      return { redirect: successUrl };
    }
    const plan = plans[order.price] ?? order.price;
    const html = checkoutPage({
      organization: store.get<Customer>(session.customer)?.name ?? session.customer,
      plan,
      price: shownPrices[plan] ?? '',
      isOpen: session.status === 'open',
      successUrl,
      cancelUrl: session.cancel_url,
    });
    return { found: true, html };
  }

  async function pay(session: CheckoutSession, order: Order): Promise<void> {
    const subscription = newSubscription(newId('sub'), session.customer, order.price, order.metadata);
    const complete: CheckoutSession = {
      ...session,
      status: 'complete',
      payment_status: 'paid',
      subscription: subscription.id,
      url: null,
    };
    store.set(subscription);
    store.set({ ...complete });
    await Promise.all([
      events.send('checkout.session.completed', { ...complete }),
      events.send('customer.subscription.created', { ...subscription }),
      events.send('invoice.paid', invoiceOf(subscription)),
    ]);
  }

  async function portal(method: string, session: PortalSession, form: URLSearchParams): Promise<PageResult> {
    if (method === 'POST') {
      const subscription = store.get<Subscription>(form.get('subscription') ?? '');
      if (subscription?.object === 'subscription' && subscription.customer === session.customer) {
        if (subscription.status !== 'canceled') await change(subscription, form.get('action') ?? '');
      }
      return { redirect: session.url };
    }
    const html = portalPage({
      organization: store.get<Customer>(session.customer)?.name ?? session.customer,
      returnUrl: session.return_url,
      subscriptions: store.subscriptionsOf(session.customer).map(viewOf).reverse(),
    });
    return { found: true, html };
  }

  async function change(subscription: Subscription, action: string): Promise<void> {
    const [verb, planName] = action.split(':');
    const ends = verb === 'cancel' || (verb === 'next-period' && subscription.cancel_at_period_end);
    if (ends) {
      const canceled: Subscription = { ...subscription, status: 'canceled' };
      store.set(canceled);
      await events.send('customer.subscription.deleted', { ...canceled });
      return;
    }
    const changed = structuredClone(subscription);
    const [item] = changed.items.data;
    const price = Object.keys(plans).find(id => plans[id] === planName);
    if (verb === 'fail') changed.status = 'past_due';
    else if (verb === 'pay') changed.status = 'active';
    else if (verb === 'resume') changed.cancel_at_period_end = false;
    else if (verb === 'cancel-at-period-end') changed.cancel_at_period_end = true;
    else if (verb === 'switch' && price !== undefined && item !== undefined) item.price.id = price;
    else if (verb === 'next-period' && item !== undefined) {
      changed.status = 'active';
      item.current_period_start = item.current_period_end;
      item.current_period_end += monthSeconds;
    } else return;
    store.set(changed);
    const invoice =
      verb === 'fail'
        ? [events.send('invoice.payment_failed', invoiceOf(changed))]
        : verb === 'pay' || verb === 'next-period'
          ? [events.send('invoice.paid', invoiceOf(changed))]
          : [];
    await Promise.all([...invoice, events.send('customer.subscription.updated', { ...changed })]);
  }

  function viewOf(subscription: Subscription): SubscriptionView {
    const [item] = subscription.items.data;
    const plan = plans[item?.price.id ?? ''] ?? 'unknown';
    return {
      id: subscription.id,
      plan,
      price: shownPrices[plan] ?? '',
      status: subscription.status,
      periodEnd: new Date((item?.current_period_end ?? 0) * 1000).toISOString().slice(0, 10),
      endsWithPeriod: subscription.cancel_at_period_end,
      otherPlans: Object.values(plans)
        .filter(name => name !== plan)
        .map(name => ({ name, price: shownPrices[name] ?? '' })),
    };
  }
}

function newSubscription(id: string, customer: string, price: string, metadata: Metadata): Subscription {
  const now = Math.floor(Date.now() / 1000);
  const item = {
    id: newId('si'),
    price: { id: price },
    current_period_start: now,
    current_period_end: now + monthSeconds,
  };
  return {
    id,
    object: 'subscription',
    customer,
    status: 'active',
    cancel_at_period_end: false,
    metadata,
    items: { object: 'list', data: [item] },
  };
}

/** An invoice in the shape of today's API versions: the subscription stands under `parent`. */
function invoiceOf({ id, customer, metadata, items }: Subscription): Record<string, unknown> {
  return {
    id: newId('in'),
    object: 'invoice',
    customer,
    parent: { type: 'subscription_details', subscription_details: { subscription: id, metadata } },
    lines: {
      object: 'list',
      data: items.data.map(item => ({
        period: { start: item.current_period_start, end: item.current_period_end },
        pricing: { type: 'price_details', price_details: { price: item.price.id } },
      })),
    },
  };
}

/** https://docs.stripe.com/api/idempotent_requests: the same key gives the same answer, and fits one request only. */
function idempotently(
  store: Store,
  request: IncomingMessage,
  path: string,
  form: URLSearchParams,
  run: () => object,
): object {
  const key = request.headers['idempotency-key'];
  if (request.method !== 'POST' || typeof key !== 'string') return run();
  const fingerprint = createHash('sha256').update(`${path}?${form}`).digest('hex');
  const replay = store.replay(key);
  if (replay === undefined) {
    const answer = run();
    store.remember(key, fingerprint, answer);
    return answer;
  }
  if (replay.fingerprint !== fingerprint) {
    throw new ProviderError(400, 'idempotency_error', 'Keys for idempotent requests fit one set of parameters only.');
  }
  return JSON.parse(replay.answer) as object;
}

function requireKey(request: IncomingMessage, secretKey: string): void {
  if (request.headers.authorization !== `Bearer ${secretKey}`) {
    throw new ProviderError(401, 'invalid_request_error', 'Invalid API key provided.');
  }
}

function required(form: URLSearchParams, name: string): string {
  const value = form.get(name);
  if (value === null || value === '') throw invalid(name, `Missing required param: ${name}.`);
  return value;
}

function invalid(param: string, message: string): ProviderError {
  return new ProviderError(400, 'invalid_request_error', message, { param });
}

function missing(param: string, message: string): ProviderError {
  return new ProviderError(404, 'invalid_request_error', message, { param, code: 'resource_missing' });
}

/** `metadata[plan]=pro` → `{plan: 'pro'}`. */
function metadataOf(form: URLSearchParams, prefix: string): Metadata {
  const members = [...form].flatMap(([name, value]) =>
    name.startsWith(`${prefix}[`) && name.endsWith(']') ? [[name.slice(prefix.length + 1, -1), value]] : [],
  );
  return Object.fromEntries(members) as Metadata;
}

function newId(prefix: string): string {
  return `${prefix}_${randomBytes(12).toString('hex')}`;
}

async function readForm(request: IncomingMessage): Promise<URLSearchParams> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += chunk.length;
    if (bytes > maximumFormBytes) throw new ProviderError(400, 'invalid_request_error', 'The request is too large.');
    chunks.push(chunk);
  }
  return new URLSearchParams(Buffer.concat(chunks).toString('utf8'));
}

function respondJson(response: ServerResponse, status: number, content: unknown): void {
  response
    .writeHead(status, { 'content-type': 'application/json', 'request-id': newId('req') })
    .end(JSON.stringify(content));
}

function respondHtml(response: ServerResponse, status: number, html: string): void {
  response
    .writeHead(status, {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'",
      'cache-control': 'no-store',
    })
    .end(html);
}
