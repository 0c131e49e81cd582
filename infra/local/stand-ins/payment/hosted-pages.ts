import { checkout } from './checkout.ts';
import type { CheckoutSession, PortalSession } from './objects.ts';
import { notFoundPage, type PageResult } from './page-html.ts';
import { portal } from './portal.ts';
import type { PaymentState } from './state.ts';

/** The checkout and the portal, as pages to click through. */
export async function answerPage(
  state: PaymentState,
  method: string,
  path: string,
  form: URLSearchParams,
): Promise<PageResult> {
  const [, kind, id = ''] = /^\/(checkout|portal)\/(\w+)$/.exec(path) ?? [];
  if (kind === 'checkout') {
    const session = state.store.get<CheckoutSession>(id);
    if (session?.object === 'checkout.session') return checkout(state, method, session, form.get('action'));
  } else if (kind === 'portal') {
    const session = state.store.get<PortalSession>(id);
    if (session?.object === 'billing_portal.session') return portal(state, method, session, form);
  }
  return { found: false, html: notFoundPage() };
}
