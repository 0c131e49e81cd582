import { invalid, metadataOf, missing, PaymentError, required } from './form.ts';
import {
  type CheckoutSession,
  type Customer,
  newId,
  newSubscription,
  type Order,
  type PortalSession,
  type Subscription,
} from './objects.ts';
import type { PaymentState } from './state.ts';

type Create = (state: PaymentState, form: URLSearchParams) => object;

/** What a POST to each path creates. */
const creations: ReadonlyMap<string, Create> = new Map<string, Create>([
  ['/customers', createCustomer],
  ['/checkout/sessions', createCheckoutSession],
  ['/billing_portal/sessions', createPortalSession],
]);

/** The parts of the provider's API that the service calls. */
export function answerApi(state: PaymentState, method: string, path: string, form: URLSearchParams): object {
  const create = method === 'POST' ? creations.get(path) : undefined;
  if (create !== undefined) return create(state, form);
  const [, id] = /^\/(?:customers|checkout\/sessions|subscriptions)\/(\w+)$/.exec(path) ?? [];
  if (id === undefined || !(method === 'GET' || method === 'DELETE')) {
    throw new PaymentError(404, 'invalid_request_error', `Unrecognized request URL (${method}: ${path}).`);
  }
  const object = state.store.get<object>(id);
  if (object === undefined) throw missing('id', `No such object: '${id}'`);
  return method === 'GET' ? object : cancel(state, object as Subscription);
}

function createCustomer({ store }: PaymentState, form: URLSearchParams): Customer {
  const customer: Customer = {
    id: newId('cus'),
    object: 'customer',
    name: form.get('name') ?? '',
    // The real provider asks for it in the checkout.
    email: 'billing@example.com',
    metadata: metadataOf(form, 'metadata'),
  };
  store.set(customer);
  return customer;
}

function createCheckoutSession(state: PaymentState, form: URLSearchParams): CheckoutSession {
  const { store, plans, url } = state;
  if (form.get('mode') !== 'subscription') throw invalid('mode', 'The stand-in only sells subscriptions.');
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
    customer: knownCustomer(state, required(form, 'customer')).id,
    subscription: null,
    metadata: metadataOf(form, 'metadata'),
    success_url: required(form, 'success_url'),
    cancel_url: required(form, 'cancel_url'),
    url: `${url}/checkout/${id}`,
  };
  store.set({ ...session });
  store.set({ id: `${id}/order`, price, metadata: metadataOf(form, 'subscription_data[metadata]') } as Order);
  return session;
}

function createPortalSession(state: PaymentState, form: URLSearchParams): PortalSession {
  const { store, plans, url } = state;
  const id = newId('bps');
  const customer = knownCustomer(state, required(form, 'customer')).id;
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
}

/** Adopts a customer that the stand-in does not know, because its own state may have been lost. */
function knownCustomer({ store }: PaymentState, id: string): Customer {
  const known = store.get<Customer>(id);
  if (known !== undefined) return known;
  const adopted: Customer = { id, object: 'customer', name: id, email: null, metadata: {} };
  store.set(adopted);
  return adopted;
}

function cancel({ store, events }: PaymentState, subscription: Subscription): Subscription {
  if (subscription.object !== 'subscription' || subscription.status === 'canceled') {
    throw missing('id', `No such subscription: '${subscription.id}'`);
  }
  const canceled: Subscription = { ...subscription, status: 'canceled' };
  store.set(canceled);
  void events.send('customer.subscription.deleted', { ...canceled });
  return canceled;
}
