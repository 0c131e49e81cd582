import type { MemberContext } from '../access/request-context.ts';
import { putAlone } from '../table/write.ts';
import { ensureCustomer } from './ensure-customer.ts';
import { createPortal } from './provider.ts';
import { billingPage } from './return-address.ts';

/**
 * Returns the URL of the hosted portal, where users change or cancel the organization's subscription.
 * @throws billing_not_configured, billing_provider_error
 */
export async function openPortal(context: MemberContext): Promise<string> {
  const { organization } = context;
  const { id, slug, name } = organization;
  const customerId = await ensureCustomer(organization);
  const url = await createPortal({ customerId, returnUrl: await billingPage(slug) });
  const audit = await context.audit({
    action: 'billing.portal_opened',
    target: { type: 'organization', id, name },
  });
  await putAlone(audit);
  return url;
}
