import { isDeepStrictEqual } from 'node:util';
import { isAllowed } from '../access/allowed-networks.ts';
import type { MemberContext } from '../access/request-context.ts';
import type { AuditFacts } from '../audit/write.ts';
import type { AllowedNetworks } from '../contracts/fields/allowed-networks.ts';
import { invalidRequest, organizationNotFound } from '../core/errors.ts';
import { asRead } from '../table/expressions.ts';
import { at, find } from '../table/read.ts';
import { type OrganizationRecord, organizationRecord } from '../table/records/organization.ts';
import { retryWithFreshRead, transact, update } from '../table/write.ts';
import { networkProblems } from './network-problems.ts';

const everywhere: AllowedNetworks = { people: null, machines: null };

export function networksOf({ allowedNetworks }: OrganizationRecord): AllowedNetworks {
  return allowedNetworks ?? everywhere;
}

/** The networks and the caller's address, which must be in a new list. */
export function readAllowedNetworks({ organization, source }: MemberContext) {
  return { networks: networksOf(organization), ownAddress: source.ip };
}

/**
 * Sets the networks from which the organization accepts requests. Writes nothing if nothing changes.
 * @throws invalid_request for a network that isn't written as it is compared, or if the caller's own next request would be refused; organization_not_found if another request
 * deleted the organization first
 */
export async function setAllowedNetworks(context: MemberContext, networks: AllowedNetworks): Promise<AllowedNetworks> {
  const { organization: foreseen, source } = context;
  const problems = networkProblems(networks);
  if (problems.length === 0 && !isAllowed(networks.people, source.ip)) {
    problems.push({ path: 'people', message: `must contain your own address, ${source.ip}` });
  }
  if (problems.length > 0) throw invalidRequest(problems);
  const item = at(organizationRecord, foreseen.slug);
  const readAgain = () => find(item);
  return retryWithFreshRead<OrganizationRecord | undefined, AllowedNetworks>(foreseen, readAgain, async stored => {
    if (stored?.id !== foreseen.id || stored.status !== 'active') throw organizationNotFound();
    if (isDeepStrictEqual(networksOf(stored), networks)) return networks;
    const allowedNetworks = isDeepStrictEqual(networks, everywhere) ? undefined : networks;
    await transact([
      update(item, { set: { allowedNetworks } }, { if: asRead(stored, ['id', 'status', 'allowedNetworks']) }),
      await context.audit(networksChanged(stored, networks)),
    ]);
    return networks;
  });
}

/** The audit entry of a change, whose details hold each list as a text. */
export function networksChanged(organization: OrganizationRecord, networks = everywhere): AuditFacts {
  const { id, name } = organization;
  const inWords = ({ people, machines }: AllowedNetworks) => ({
    people: people?.join(', ') ?? null,
    machines: machines?.join(', ') ?? null,
  });
  return {
    action: 'organization.networks_changed',
    target: { type: 'organization', id, name },
    details: { from: inWords(networksOf(organization)), to: inWords(networks) },
  };
}
