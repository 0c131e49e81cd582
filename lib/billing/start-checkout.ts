import type { MemberContext } from '../access/request-context.ts';
import type { BoughtPlan } from '../contracts/billing/bought-plan.ts';
import { putAlone } from '../table/write.ts';
import { ensureCustomer } from './ensure-customer.ts';
import { createCheckout, createPortal, priceOf } from './provider.ts';
import { billingPage } from './return-address.ts';

/**
 * Returns the URL of a hosted checkout page for the plan. If the organization already has a live subscription, it
 * returns the page that changes it, because a second checkout would create a second paid subscription.
 * @throws billing_not_configured, billing_provider_error
 */
export async function startCheckout(context: MemberContext, plan: BoughtPlan): Promise<string> {
  const { organization } = context;
  const { id, slug, name, billing } = organization;
  const price = priceOf(plan);
  const customerId = await ensureCustomer(organization);
  const isAlive = billing?.status === 'active' || billing?.status === 'past_due';
  const url =
    isAlive && billing.subscriptionId !== null
      ? await createPortal({
          customerId,
          returnUrl: await billingPage(slug),
          changedSubscriptionId: billing.subscriptionId,
        })
      : await createCheckout({
          organizationId: id,
          customerId,
          plan,
          price,
          successUrl: await billingPage(slug, 'success'),
          cancelUrl: await billingPage(slug, 'cancelled'),
        });
  const audit = await context.audit({
    action: 'billing.checkout_started',
    target: { type: 'organization', id, name },
  });
  await putAlone(audit);
  return url;
}
