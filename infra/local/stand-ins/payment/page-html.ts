import { escapeHtml } from '#lib/mail/compose-mail.ts';

export type PageResult = { redirect: string } | { found: boolean; html: string };

const shownPrices: Readonly<Record<string, string>> = { pro: '$29', enterprise: '$299' };

export function shownPriceOf(plan: string): string {
  return shownPrices[plan] ?? '';
}

/*
 * The hosted pages of the payment provider's stand-in: plain HTML and form posts, no scripts. All outside input is
 * escaped.
 */

export interface CheckoutView {
  organization: string;
  plan: string;
  price: string;
  isOpen: boolean;
  successUrl: string;
  cancelUrl: string;
}

export interface PortalView {
  organization: string;
  returnUrl: string;
  subscriptions: readonly SubscriptionView[];
}

export interface SubscriptionView {
  id: string;
  plan: string;
  price: string;
  status: string;
  periodEnd: string;
  endsWithPeriod: boolean;
  otherPlans: readonly { name: string; price: string }[];
}

export function checkoutPage(view: CheckoutView): string {
  const { organization, plan, price, isOpen, successUrl, cancelUrl } = view;
  const body = isOpen
    ? `<p class="price">${escapeHtml(price)} <small>a month</small></p>
       <p>The plan <b>${escapeHtml(plan)}</b> for <b>${escapeHtml(organization)}</b>.</p>
       <form method="post">
         <button name="action" value="pay">Pay</button>
         <button name="action" value="cancel" class="quiet">Cancel</button>
       </form>`
    : `<p>This checkout is complete.</p><p><a href="${escapeHtml(successUrl)}">Continue</a> or go
       <a href="${escapeHtml(cancelUrl)}">back</a>.</p>`;
  return page('Checkout', body);
}

export function portalPage({ organization, returnUrl, subscriptions }: PortalView): string {
  const cards = subscriptions.map(subscriptionCard).join('');
  return page(
    'Your subscription',
    `<p>Billing of <b>${escapeHtml(organization)}</b>.</p>${cards === '' ? '<p>There is no subscription.</p>' : cards}
     <p><a href="${escapeHtml(returnUrl)}">Back to the dashboard</a></p>`,
  );
}

function subscriptionCard(subscription: SubscriptionView): string {
  const { id, plan, price, status, periodEnd, endsWithPeriod, otherPlans } = subscription;
  const buttons =
    status === 'canceled'
      ? ''
      : [
          ...otherPlans.map(other => button(`switch:${other.name}`, `Change to ${other.name} (${other.price})`)),
          status === 'past_due' ? button('pay', 'Pay the open invoice') : button('fail', 'Let a payment fail', 'quiet'),
          endsWithPeriod
            ? button('resume', 'Keep the subscription')
            : button('cancel-at-period-end', 'Cancel at the end of the period', 'quiet'),
          button('next-period', endsWithPeriod ? 'Let the period end' : 'Let the next period begin', 'quiet'),
          button('cancel', 'Cancel subscription', 'danger'),
        ].join('');
  const note = endsWithPeriod && status !== 'canceled' ? ', ends then' : '';
  return `<section><h2>${escapeHtml(plan)} <span class="${escapeHtml(status)}">${escapeHtml(status.replace('_', ' '))}</span></h2>
    <p>${escapeHtml(price)} a month; period until ${escapeHtml(periodEnd)}${note}.</p>
    <form method="post"><input type="hidden" name="subscription" value="${escapeHtml(id)}">${buttons}</form></section>`;
}

function button(action: string, label: string, kind = ''): string {
  return `<button name="action" value="${escapeHtml(action)}" class="${kind}">${escapeHtml(label)}</button>`;
}

export function notFoundPage(): string {
  return page('Not found', '<p>There is no such page, or it has expired.</p>');
}

function page(title: string, body: string): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${escapeHtml(title)} – payment provider (stand-in)</title>
<style>
  body { margin: 0; min-height: 100vh; display: grid; place-items: center; background: #eef1f6; color: #1b2333;
         font: 16px/1.5 system-ui, sans-serif; }
  main { background: #fff; width: min(28rem, 88vw); padding: 2rem; border-radius: 14px;
         box-shadow: 0 12px 40px #1b233322; }
  h1 { margin: 0 0 .5rem; font-size: 1.4rem; } h2 { margin: 0; font-size: 1.1rem; text-transform: capitalize; }
  .price { font-size: 2rem; margin: .5rem 0; } small { font-size: 1rem; color: #5b6577; }
  section { border: 1px solid #d9dfe9; border-radius: 10px; padding: 1rem; margin: 1rem 0; }
  span { font-size: .75rem; padding: .1rem .5rem; border-radius: 99px; background: #dff3e4; color: #17653a; }
  span.past_due { background: #fdeacb; color: #7a4b00; } span.canceled { background: #eceff4; color: #5b6577; }
  form { display: grid; gap: .5rem; }
  button { font: inherit; padding: .65rem 1rem; border: 0; border-radius: 8px; background: #3451d1; color: #fff;
           cursor: pointer; }
  button.quiet { background: #e6eaf2; color: #1b2333; } button.danger { background: #b3261e; }
  footer { margin-top: 1.5rem; font-size: .8rem; color: #5b6577; }
</style></head>
<body><main><h1>${escapeHtml(title)}</h1>${body}
<footer>A stand-in for the payment provider. No money moves.</footer></main></body></html>`;
}
