import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { EventSender } from './events.ts';
import { invalid, metadataOf, missing, ProviderError, required } from './form.ts';
import {
  type CheckoutSession,
  type Customer,
  newId,
  newSubscription,
  type Order,
  type Plans,
  type PortalSession,
  type Subscription,
} from './objects.ts';
import type { Store } from './store.ts';

/** The parts of the provider's API that the service calls. */
export function createApi(store: Store, plans: Plans, url: string, events: EventSender) {
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
      if (plans[price] === undefined) throw missing('line_items[0][price]', `No such price: '${price}'`);
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
        store.set(newSubscription(changed, customer, Object.keys(plans)[0] ?? '', {}));
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

/** https://docs.stripe.com/api/idempotent_requests: the same key gets the same answer and fits only one request. */
export function idempotently(
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
