import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { changedFields } from '../access/changed-fields.ts';
import type { MemberContext } from '../access/request-context.ts';
import type { BodyOf } from '../contracts/contract.ts';
import { environmentRequired } from '../contracts/identities/identity.ts';
import type { updateIdentity as contract } from '../contracts/identities/update-identity.ts';
import { invalidRequest } from '../core/errors.ts';
import { laterThan } from '../core/time.ts';
import { equals } from '../table/expressions.ts';
import { at } from '../table/read.ts';
import { type IdentityRecord, identityRecord } from '../table/records/identity.ts';
import { retryOnConditionFailed, transact, update, type Write } from '../table/write.ts';
import { findScope, readPlaces, scopeChecks } from '../webhooks/find-scope.ts';
import { auditedFields, identityTarget } from './identity-view.ts';
import { requireIdentity } from './read-identities.ts';
import { requireTrust } from './require-trust.ts';

/**
 * Changes the given fields. An unchanged scope is not looked up again, because what it names may have been deleted.
 * @throws identity_not_found, invalid_request for an environment without its project, a deployer without its environment,
 * a forbidden issuer or claims that strangers could satisfy, project_not_found, environment_not_found
 */
export async function updateIdentity(
  context: MemberContext,
  identityId: string,
  changes: BodyOf<typeof contract>,
): Promise<IdentityRecord> {
  const { slug } = context.organization;
  return retryOnConditionFailed(async () => {
    const before = await requireIdentity(context, identityId);
    const given = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
    const wanted: IdentityRecord = { ...before, ...given };
    if (isDeepStrictEqual(wanted, before)) return before;
    if (wanted.environmentId !== null && wanted.projectId === null) {
      throw invalidRequest([{ path: 'projectId', message: 'is required with environmentId' }]);
    }
    if (wanted.role === 'deployer' && wanted.environmentId === null) {
      throw invalidRequest([{ path: 'environmentId', message: environmentRequired }]);
    }
    const trusts = isSame(before, wanted, ['issuer', 'claims', 'jwks']);
    if (!trusts) requireTrust(wanted);
    const after: IdentityRecord = {
      ...wanted,
      trustId: trusts ? before.trustId : randomUUID(),
      updatedAt: laterThan(before.updatedAt),
    };
    const { lastUsedAt: _, tokensEndedAt: __, ...set } = after;
    await transact([
      // The condition keeps this from undoing another change or bringing back a deleted identity.
      update(at(identityRecord, slug, identityId), { set }, { if: { updatedAt: equals(before.updatedAt) } }),
      ...(isSame(before, after, ['projectId', 'environmentId']) ? [] : await limitHolds(slug, after)),
      await context.audit({
        action: 'identity.updated',
        target: identityTarget(after),
        ...detailsOf(before, after),
      }),
    ]);
    return after;
  });
}

async function limitHolds(slug: string, identity: IdentityRecord): Promise<Write[]> {
  return scopeChecks(slug, findScope(await readPlaces(slug, identity.projectId !== null), identity));
}

function isSame(a: IdentityRecord, b: IdentityRecord, names: readonly (keyof IdentityRecord)[]): boolean {
  return names.every(name => isDeepStrictEqual(a[name], b[name]));
}

function detailsOf(before: IdentityRecord, after: IdentityRecord) {
  const [old, changed] = [auditedFields(before), auditedFields(after)];
  const details = changedFields(old, changed, Object.keys(changed) as (keyof typeof changed)[]);
  return details === undefined ? {} : { details };
}
