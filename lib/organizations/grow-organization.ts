import type { LimitName } from '../contracts/fields/limits.ts';
import { ApiError } from '../core/errors.ts';
import { isUnlimited, planLimitExceeded } from '../plans/effective-limits.ts';
import { equals, lessThan } from '../table/expressions.ts';
import { organizationRecord } from '../table/records/organization.ts';
import { at, update, type Write } from '../table/store.ts';

type Counter = 'projectCount' | 'webhookCount';

/**
 * The write that counts one more of something in an organization, to stand in the same transaction as its creation:
 * so parallel requests cannot pass the limit together.
 * The transaction fails with plan_limit_exceeded, or organization_not_found when it is being deleted.
 */
export function growOrganization(
  { id, slug }: { id: string; slug: string },
  counter: Counter,
  limit: LimitName,
  value: number,
): Write {
  const active = { id: equals(id), status: equals('active') };
  return update(
    at(organizationRecord, slug),
    { add: { [counter]: 1 } },
    {
      if: isUnlimited(value) ? active : { ...active, [counter]: lessThan(value) },
      refused: current =>
        current?.id === id && current.status === 'active'
          ? planLimitExceeded(limit, value, Number(current[counter]))
          : new ApiError('organization_not_found', 'There is no such organization.'),
    },
  );
}
