import type { MemberContext } from '../access/request-context.ts';
import type { BoughtPlan } from '../contracts/fields/limits.ts';
import { dashboardOrigin } from '../core/dashboard-origin.ts';
import { putAlone } from '../table/write.ts';
import { ensureCustomer } from './ensure-customer.ts';
import { createCheckout, createPortal, priceOf } from './provider.ts';
import { liveSubscriptionOf } from './subscription-update.ts';

/**
 * Returns the URL of the hosted portal, where users change or cancel the organization's subscription.
 * @throws billing_not_configured, billing_provider_error
 */
export async function openPortal(context: MemberContext): Promise<string> {
  const { organization } = context;
  const customerId = await ensureCustomer(organization);
  const url = await createPortal({ customerId, returnUrl: await billingPage(organization.slug) });
  await recordOpened(context, 'billing.portal_opened');
  return url;
}

/**
 * Returns the URL of a hosted checkout page for the plan. If the organization already has a live subscription, it
 * returns the page that changes it, because a second checkout would create a second paid subscription.
 * @throws billing_not_configured, billing_provider_error
 */
export async function startCheckout(context: MemberContext, plan: BoughtPlan): Promise<string> {
  const { organization } = context;
  const { id: organizationId, slug } = organization;
  const price = priceOf(plan);
  const customerId = await ensureCustomer(organization);
  const changedSubscriptionId = liveSubscriptionOf(organization);
  const url =
    changedSubscriptionId !== undefined
      ? await createPortal({ customerId, returnUrl: await billingPage(slug), changedSubscriptionId })
      : await createCheckout({
          organizationId,
          customerId,
          plan,
          price,
          successUrl: await billingPage(slug, 'success'),
          cancelUrl: await billingPage(slug, 'cancelled'),
        });
  await recordOpened(context, 'billing.checkout_started');
  return url;
}

/** The billing page of an organization in the dashboard, where the provider's hosted pages return to. */
async function billingPage(orgSlug: string, checkout?: 'success' | 'cancelled'): Promise<string> {
  const page = new URL(`/organizations/${orgSlug}/billing`, await dashboardOrigin());
  if (checkout !== undefined) page.searchParams.set('checkout', checkout);
  return page.href;
}

async function recordOpened(
  context: MemberContext,
  action: 'billing.portal_opened' | 'billing.checkout_started',
): Promise<void> {
  const { id, name } = context.organization;
  await putAlone(await context.audit({ action, target: { type: 'organization', id, name } }));
}
