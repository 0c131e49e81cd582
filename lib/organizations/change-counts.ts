import type { LimitName } from '../contracts/fields/limits.ts';
import { organizationNotFound } from '../core/errors.ts';
import { isUnlimited, planLimitExceeded } from '../plans/effective-limits.ts';
import { renewedRevision } from '../table/access-revision.ts';
import { attribute, type Condition, equals, lessThan } from '../table/expressions.ts';
import { at } from '../table/read.ts';
import { type OrganizationRecord, organizationRecord } from '../table/records/organization.ts';
import { check, update, type Write } from '../table/write.ts';

type Place = Pick<OrganizationRecord, 'id' | 'slug'>;
type Counts = { [Name in keyof OrganizationRecord as Name extends `${string}Count` ? Name : never]?: number };

interface Bound {
  if: Condition<OrganizationRecord>;
  refused: (current: Partial<OrganizationRecord>) => Error;
}

/**
 * The write that adds to an organization's counts, for the transaction that creates or removes the counted items, so
 * that concurrent requests can't exceed the bound. Renews the access revision. @throws the bound's error; organization_not_found during its
 * deletion
 */
export function changeCounts({ id, slug }: Place, add: Counts, bound?: Bound): Write {
  const refused = (current?: Partial<OrganizationRecord>) =>
    bound !== undefined && current?.id === id && current.status === 'active'
      ? bound.refused(current)
      : organizationNotFound();
  const isActive = { id: equals(id), status: equals('active') };
  const changes = { add, set: renewedRevision() };
  return update(at(organizationRecord, slug), changes, { if: { ...bound?.if, ...isActive }, refused });
}

/** Adds one to a count that the plan limits. The transaction fails with plan_limit_exceeded at the limit. */
export function growOrganization(
  organization: Place,
  counter: 'projectCount' | 'webhookCount',
  limit: LimitName,
  value: number,
): Write {
  const bound = {
    if: attribute(counter, lessThan(value)),
    refused: (current: Partial<OrganizationRecord>) => planLimitExceeded(limit, value, Number(current[counter])),
  };
  return changeCounts(organization, attribute(counter, 1), isUnlimited(value) ? undefined : bound);
}

/**
 * For transactions that change a member, an identity or a project without a count: from then on, no request uses an
 * earlier state of it. Without `refused`, the transaction throws `ConditionFailed` if the organization is gone.
 */
export function renewAccess({ id, slug }: Place, refused?: () => Error): Write {
  return update(at(organizationRecord, slug), { set: renewedRevision() }, { if: { id: equals(id) }, refused });
}

/** The check that the organization still exists. Without `refused`, the transaction throws `ConditionFailed`. */
export function stillActive({ id, slug }: Place, refused?: () => Error): Write {
  return check(at(organizationRecord, slug), { if: { id: equals(id), status: equals('active') }, refused });
}
