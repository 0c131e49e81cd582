import { type CheckoutSession, type Customer, invoiceOf, newId, newSubscription, type Order } from './objects.ts';
import { checkoutPage, notFoundPage, type PageResult, shownPriceOf } from './page-html.ts';
import type { PaymentState } from './state.ts';

/** The page that sells a plan, and its buttons. */
export async function checkout(
  state: PaymentState,
  method: string,
  session: CheckoutSession,
  action: string | null,
): Promise<PageResult> {
  const { store, plans } = state;
  const order = store.get<Order>(`${session.id}/order`);
  if (order === undefined) return { found: false, html: notFoundPage() };
  if (method === 'POST' && action === 'cancel') return { redirect: session.cancel_url };
  const successUrl = session.success_url.replace('{CHECKOUT_SESSION_ID}', session.id);
  if (method === 'POST' && action === 'pay') {
    // A second click must not create a second subscription.
    if (session.status === 'open') await pay(state, session, order);
    return { redirect: successUrl };
  }
  const plan = plans[order.price] ?? order.price;
  const html = checkoutPage({
    organization: store.get<Customer>(session.customer)?.name ?? session.customer,
    plan,
    price: shownPriceOf(plan),
    isOpen: session.status === 'open',
    successUrl,
    cancelUrl: session.cancel_url,
  });
  return { found: true, html };
}

async function pay({ store, events }: PaymentState, session: CheckoutSession, order: Order): Promise<void> {
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
