import { actorOf, auditWrite } from '../access/audit-write.ts';
import type { MemberAccess } from '../access/member-access.ts';
import type { RequestSource } from '../core/request-source.ts';
import { transact } from '../table/store.ts';
import { ensureCustomer } from './ensure-customer.ts';
import { createPortal } from './provider.ts';
import { billingPage } from './return-address.ts';

/**
 * The address of the hosted portal where the organization's subscription is changed or cancelled.
 * @throws billing_not_configured, billing_provider_error
 */
export async function openPortal(access: MemberAccess, source: RequestSource): Promise<string> {
  const { organization, principal } = access;
  const { id, slug, name } = organization;
  const customerId = await ensureCustomer(organization);
  const url = await createPortal({ customerId, returnUrl: billingPage(slug) });
  const audit = await auditWrite(organization, actorOf(principal), source, {
    action: 'billing.portal_opened',
    target: { type: 'organization', id, name },
  });
  await transact([audit]);
  return url;
}
