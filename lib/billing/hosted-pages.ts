import type { MemberContext } from '../access/request-context.ts';
import type { BoughtPlan } from '../contracts/fields/limits.ts';
import { dashboardOrigin } from '../core/dashboard-origin.ts';
import { organizationNotFound } from '../core/errors.ts';
import { absent, equals, isNew } from '../table/expressions.ts';
import { at, find } from '../table/read.ts';
import { type OrganizationRecord, organizationRecord } from '../table/records/organization.ts';
import { customerRecord } from '../table/records/platform.ts';
import { ConditionFailed, put, putAlone, transact, update } from '../table/write.ts';
import { createCheckout, createCustomer, createPortal, priceOf } from './payment-provider.ts';
import { liveSubscriptionOf, noBilling } from './subscription-update.ts';

/** The URL of the page for the organization's subscription. @throws billing_not_configured, billing_provider_error */
export async function openPortal(context: MemberContext): Promise<string> {
  const { organization } = context;
  const customerId = await ensureCustomer(organization);
  const url = await createPortal({ customerId, returnUrl: await billingPage(organization.slug) });
  await recordOpened(context, 'billing.portal_opened');
  return url;
}

/**
 * The URL of a checkout page for the plan, or of the page that changes a live subscription: a second checkout would
 * create a second paid subscription.
 * @throws billing_not_configured, billing_provider_error
 */
export async function startCheckout(context: MemberContext, plan: BoughtPlan): Promise<string> {
  const { organization } = context;
  const { id: organizationId, slug } = organization;
  const price = priceOf(plan);
  const customerId = await ensureCustomer(organization);
  const changedSubscriptionId = liveSubscriptionOf(organization);
  const buy = async () => {
    const [successUrl, cancelUrl] = [await billingPage(slug, 'success'), await billingPage(slug, 'cancelled')];
    return createCheckout({ organizationId, customerId, plan, price, successUrl, cancelUrl });
  };
  const url =
    changedSubscriptionId === undefined
      ? await buy()
      : await createPortal({ customerId, returnUrl: await billingPage(slug), changedSubscriptionId });
  await recordOpened(context, 'billing.checkout_started');
  return url;
}

/** The dashboard's page that the payment provider's pages return to. */
async function billingPage(orgSlug: string, checkout?: 'success' | 'cancelled'): Promise<string> {
  const page = new URL(`/organizations/${orgSlug}/billing`, await dashboardOrigin());
  if (checkout !== undefined) page.searchParams.set('checkout', checkout);
  return page.href;
}

async function recordOpened(context: MemberContext, action: 'billing.portal_opened' | 'billing.checkout_started') {
  const { id, name } = context.organization;
  await putAlone(await context.audit({ action, target: { type: 'organization', id, name } }));
}

/**
 * The id of the organization's customer at the payment provider, which is created if needed. Concurrent requests get
 * the same customer: the provider recognizes their idempotency key, and the first customer stored here wins.
 * @throws organization_not_found, billing_provider_error, billing_not_configured
 */
async function ensureCustomer(organization: OrganizationRecord): Promise<string> {
  const { id, slug, billing } = organization;
  if (billing !== undefined && billing.customerId !== null) return billing.customerId;
  const customerId = await createCustomer(organization);
  const [set, unchanged] =
    billing === undefined
      ? [{ billing: { ...noBilling, customerId } }, { billing: absent }]
      : [{ 'billing.customerId': customerId }, { 'billing.customerId': equals(null) }];
  const condition = { id: equals(id), status: equals('active'), ...unchanged } as const;
  const store = update(at(organizationRecord, slug), { set }, { if: condition });
  try {
    await transact([store, put(at(customerRecord, customerId), { organizationId: id, orgSlug: slug }, { if: isNew })]);
    return customerId;
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error;
    const current = await find(at(organizationRecord, slug));
    if (current?.id !== id || current.status !== 'active') throw organizationNotFound({ cause: error });
    const storedId = current.billing?.customerId ?? null;
    if (storedId === null) throw error;
    return storedId;
  }
}
