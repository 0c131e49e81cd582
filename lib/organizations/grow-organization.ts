import type { LimitName } from '../contracts/fields/limits.ts';
import { organizationNotFound } from '../core/errors.ts';
import { isUnlimited, planLimitExceeded } from '../plans/effective-limits.ts';
import { attribute, type Condition, equals, lessThan } from '../table/expressions.ts';
import { at } from '../table/read.ts';
import { type OrganizationRecord, organizationRecord } from '../table/records/organization.ts';
import { update, type Write } from '../table/write.ts';

type Counter = keyof Pick<OrganizationRecord, 'projectCount' | 'webhookCount'>;

/**
 * The write that adds one to a counter of the organization. It goes into the transaction that creates the counted item,
 * so that concurrent requests can't exceed the limit. That transaction fails with plan_limit_exceeded, or with
 * organization_not_found if the organization is being deleted.
 */
export function growOrganization(
  { id, slug }: Pick<OrganizationRecord, 'id' | 'slug'>,
  counter: Counter,
  limit: LimitName,
  value: number,
): Write {
  const active: Condition<OrganizationRecord> = { id: equals(id), status: equals('active') };
  return update(
    at(organizationRecord, slug),
    { add: attribute(counter, 1) },
    {
      if: isUnlimited(value) ? active : { ...active, ...attribute(counter, lessThan(value)) },
      refused: current =>
        current?.id === id && current.status === 'active'
          ? planLimitExceeded(limit, value, Number(current[counter]))
          : organizationNotFound(),
    },
  );
}
