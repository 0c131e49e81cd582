import { actorOf, auditWrite } from '../access/audit-write.ts';
import type { MemberAccess } from '../access/member-access.ts';
import type { BoughtPlan } from '../contracts/billing.ts';
import type { RequestSource } from '../core/request-source.ts';
import { transact } from '../table/store.ts';
import { ensureCustomer } from './ensure-customer.ts';
import { createCheckout, createPortal, priceOf } from './provider.ts';
import { billingPage } from './return-address.ts';

/**
 * The address of a hosted page where the plan is bought. Who pays for a subscription already is led to the page that
 * changes it: a second checkout would end in two subscriptions, both paid.
 * @throws billing_not_configured, billing_provider_error
 */
export async function startCheckout(access: MemberAccess, source: RequestSource, plan: BoughtPlan): Promise<string> {
  const { organization, principal } = access;
  const { id, slug, name, billing } = organization;
  const price = priceOf(plan);
  const customerId = await ensureCustomer(organization);
  const isAlive = billing?.status === 'active' || billing?.status === 'past_due';
  const url =
    isAlive && billing.subscriptionId !== null
      ? await createPortal({
          customerId,
          returnUrl: billingPage(slug),
          changedSubscriptionId: billing.subscriptionId,
        })
      : await createCheckout({
          organizationId: id,
          customerId,
          plan,
          price,
          successUrl: billingPage(slug, 'success'),
          cancelUrl: billingPage(slug, 'cancelled'),
        });
  const audit = await auditWrite(organization, actorOf(principal), source, {
    action: 'billing.checkout_started',
    target: { type: 'organization', id, name },
  });
  await transact([audit]);
  return url;
}
