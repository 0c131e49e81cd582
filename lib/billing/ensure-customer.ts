import { organizationNotFound } from '../core/errors.ts';
import { absent, type Condition, equals, isNew } from '../table/expressions.ts';
import { at, find } from '../table/read.ts';
import { customerRecord } from '../table/records/customer.ts';
import { type OrganizationRecord, organizationRecord } from '../table/records/organization.ts';
import { ConditionFailed, put, transact, update } from '../table/write.ts';
import { createCustomer } from './provider.ts';
import { noBilling } from './subscription-update.ts';

/**
 * Returns the organization's customer at the provider, and creates it if needed. Concurrent requests get the same
 * customer: the provider recognizes their idempotency key, and the first customer stored here wins.
 * @throws organization_not_found, billing_provider_error, billing_not_configured
 */
export async function ensureCustomer(organization: OrganizationRecord): Promise<string> {
  const { id, slug, billing } = organization;
  if (billing !== undefined && billing.customerId !== null) return billing.customerId;
  const customerId = await createCustomer(organization);
  const present: Condition<OrganizationRecord> = { id: equals(id), status: equals('active') };
  const remember =
    billing === undefined
      ? update(
          at(organizationRecord, slug),
          { set: { billing: { ...noBilling, customerId } } },
          { if: { ...present, billing: absent } },
        )
      : update(
          at(organizationRecord, slug),
          { set: { 'billing.customerId': customerId } },
          { if: { ...present, 'billing.customerId': equals(null) } },
        );
  try {
    await transact([
      remember,
      put(at(customerRecord, customerId), { organizationId: id, orgSlug: slug }, { if: isNew }),
    ]);
    return customerId;
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error;
    const current = await find(at(organizationRecord, slug));
    if (current?.id !== id || current.status !== 'active') throw organizationNotFound({ cause: error });
    const known = current.billing?.customerId ?? null;
    if (known === null) throw error;
    return known;
  }
}
