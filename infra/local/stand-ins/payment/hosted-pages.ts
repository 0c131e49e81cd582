import type { EventSender } from './events.ts';
import {
  type CheckoutSession,
  type Customer,
  invoiceOf,
  newId,
  newSubscription,
  type Order,
  type Plans,
  type PortalSession,
  renewed,
  type Subscription,
} from './objects.ts';
import { checkoutPage, notFoundPage, portalPage, type SubscriptionView } from './page-html.ts';
import type { Store } from './store.ts';

const shownPrices: Readonly<Record<string, string>> = { pro: '$29', enterprise: '$299' };

interface Change {
  apply: (subscription: Subscription) => Subscription;
  /** The event about an invoice that comes with the change. */
  invoiceEvent?: string;
}

/** What the buttons of the portal do with a subscription. */
const changes: ReadonlyMap<string, Change> = new Map([
  ['fail', { apply: old => ({ ...old, status: 'past_due' }), invoiceEvent: 'invoice.payment_failed' }],
  ['pay', { apply: old => ({ ...old, status: 'active' }), invoiceEvent: 'invoice.paid' }],
  ['next-period', { apply: renewed, invoiceEvent: 'invoice.paid' }],
  ['resume', { apply: old => ({ ...old, cancel_at_period_end: false }) }],
  ['cancel-at-period-end', { apply: old => ({ ...old, cancel_at_period_end: true }) }],
] satisfies [string, Change][]);

export type PageResult = { redirect: string } | { found: boolean; html: string };

/** The checkout and the portal, as pages to click through. */
export function createPages(store: Store, plans: Plans, events: EventSender) {
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
      // A second click must not make a second subscription.
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
    const [verb = '', planName] = action.split(':');
    if (verb === 'cancel' || (verb === 'next-period' && subscription.cancel_at_period_end)) {
      const canceled: Subscription = { ...subscription, status: 'canceled' };
      store.set(canceled);
      await events.send('customer.subscription.deleted', { ...canceled });
      return;
    }
    const chosen = verb === 'switch' ? switchTo(planName) : changes.get(verb);
    if (chosen === undefined) return;
    const changed = chosen.apply(subscription);
    store.set(changed);
    await Promise.all([
      ...(chosen.invoiceEvent === undefined ? [] : [events.send(chosen.invoiceEvent, invoiceOf(changed))]),
      events.send('customer.subscription.updated', { ...changed }),
    ]);
  }

  function switchTo(planName: string | undefined): Change | undefined {
    const price = Object.keys(plans).find(id => plans[id] === planName);
    if (price === undefined) return undefined;
    return {
      apply: old => ({
        ...old,
        items: { ...old.items, data: old.items.data.map(item => ({ ...item, price: { id: price } })) },
      }),
    };
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
