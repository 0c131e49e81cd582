import { type Customer, invoiceOf, type Plans, type PortalSession, renewed, type Subscription } from './objects.ts';
import { type PageResult, portalPage, type SubscriptionView, shownPriceOf } from './page-html.ts';
import type { PaymentState } from './state.ts';

interface Change {
  apply: (subscription: Subscription) => Subscription;
  /** The invoice event that accompanies the change. */
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

/** The page where customers manage subscriptions, and its buttons. */
export async function portal(
  state: PaymentState,
  method: string,
  session: PortalSession,
  form: URLSearchParams,
): Promise<PageResult> {
  const { store, plans } = state;
  if (method === 'POST') {
    const subscription = store.get<Subscription>(form.get('subscription') ?? '');
    if (subscription?.object === 'subscription' && subscription.customer === session.customer) {
      if (subscription.status !== 'canceled') await change(state, subscription, form.get('action') ?? '');
    }
    return { redirect: session.url };
  }
  const html = portalPage({
    organization: store.get<Customer>(session.customer)?.name ?? session.customer,
    returnUrl: session.return_url,
    subscriptions: store
      .subscriptionsOf(session.customer)
      .map(one => viewOf(one, plans))
      .reverse(),
  });
  return { found: true, html };
}

async function change(
  { store, plans, events }: PaymentState,
  subscription: Subscription,
  action: string,
): Promise<void> {
  const [verb = '', planName] = action.split(':');
  if (verb === 'cancel' || (verb === 'next-period' && subscription.cancel_at_period_end)) {
    const canceled: Subscription = { ...subscription, status: 'canceled' };
    store.set(canceled);
    await events.send('customer.subscription.deleted', { ...canceled });
    return;
  }
  const chosen = verb === 'switch' ? switchTo(plans, planName) : changes.get(verb);
  if (chosen === undefined) return;
  const changed = chosen.apply(subscription);
  store.set(changed);
  await Promise.all([
    ...(chosen.invoiceEvent === undefined ? [] : [events.send(chosen.invoiceEvent, invoiceOf(changed))]),
    events.send('customer.subscription.updated', { ...changed }),
  ]);
}

function switchTo(plans: Plans, planName: string | undefined): Change | undefined {
  const price = Object.keys(plans).find(id => plans[id] === planName);
  if (price === undefined) return undefined;
  return {
    apply: old => ({
      ...old,
      items: { ...old.items, data: old.items.data.map(item => ({ ...item, price: { id: price } })) },
    }),
  };
}

function viewOf(subscription: Subscription, plans: Plans): SubscriptionView {
  const [item] = subscription.items.data;
  const plan = plans[item?.price.id ?? ''] ?? 'unknown';
  return {
    id: subscription.id,
    plan,
    price: shownPriceOf(plan),
    status: subscription.status,
    periodEnd: new Date((item?.current_period_end ?? 0) * 1000).toISOString().slice(0, 10),
    endsWithPeriod: subscription.cancel_at_period_end,
    otherPlans: Object.values(plans)
      .filter(name => name !== plan)
      .map(name => ({ name, price: shownPriceOf(name) })),
  };
}
