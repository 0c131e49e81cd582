import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { changedFields } from '../access/changed-fields.ts';
import { managedProjects } from '../access/managed-projects.ts';
import type { MemberContext } from '../access/request-context.ts';
import { hasVerifiedEmail } from '../access/verified-email.ts';
import type { AuditFacts } from '../audit/write.ts';
import type { BodyOf } from '../contracts/contract.ts';
import type { AuditDetails } from '../contracts/fields/audit-action.ts';
import { audienceOf, maximumIdentities } from '../contracts/fields/identity-limits.ts';
import { mayGive } from '../contracts/fields/member-rights.ts';
import type {
  updateIdentity as change,
  createIdentity as creation,
  Identity,
} from '../contracts/identities/identities.ts';
import { ApiError, invalidRequest, organizationNotFound } from '../core/errors.ts';
import { laterThan } from '../core/time.ts';
import { derivedUuid } from '../crypto/derived-uuid.ts';
import { changeCounts, renewAccess } from '../organizations/change-counts.ts';
import { countIdentitiesEnded, identityEndings } from '../organizations/members/made-by-member.ts';
import { isAllowedPlain, targetProblem } from '../outbound/target.ts';
import { asRead, equals, isNew, lessThan } from '../table/expressions.ts';
import { ranges } from '../table/keys.ts';
import { at, find, list } from '../table/read.ts';
import { type IdentityRecord, identityRecord } from '../table/records/identity.ts';
import {
  type MemberRecord,
  memberRecord,
  membershipRecord,
  type OrganizationRecord,
} from '../table/records/organization.ts';
import { asRevocation } from '../table/revocations.ts';
import { check, put, retryOnConditionFailed, transact, update, type Write } from '../table/write.ts';
import {
  environmentIdsOf,
  isManaged,
  limitsAfter,
  requireManagedScope,
  rightsOf,
  scopeHolds,
} from './identity-scope.ts';
import { claimsProblem } from './shared-issuers.ts';

export function identityView(identity: IdentityRecord): Identity {
  const { trustId: _, trustedBy: __, updatedAt: ___, environments: ____, tokensEndedAt = null, ...shown } = identity;
  return { ...shown, environmentIds: environmentIdsOf(identity), tokensEndedAt, audience: audienceOf(identity.id) };
}

export function identityTarget({ id, name }: Pick<IdentityRecord, 'id' | 'name'>): AuditFacts['target'] {
  return { type: 'identity', id, name };
}

const identityNotFound = () => new ApiError('identity_not_found', 'There is no such identity in this organization.');

/** A page of the audit log has many entries, so each text in an entry is short. */
const longestText = 2000;

const cut = (text: string): string => (text.length > longestText ? `${text.slice(0, longestText)}…` : text);

/** The details of an identity in an audit entry. Claims and keys are recorded as text. */
function auditedFields({ claims, jwks, maxAssertionAgeMinutes, tokenMinutes, ...identity }: IdentityRecord) {
  const { name, access, role, projectId, environmentId, issuer, singleUse } = identity;
  // Sorted, because the table doesn't keep the order of names.
  const sortedClaims = Object.fromEntries(Object.entries(claims).sort(([a], [b]) => (a < b ? -1 : 1)));
  return {
    name,
    access,
    role,
    projectId,
    environmentId,
    environmentIds: environmentIdsOf(identity)?.join() ?? null,
    issuer,
    claims: cut(JSON.stringify(sortedClaims)),
    singleUse,
    maxAssertionAgeMinutes: String(maxAssertionAgeMinutes),
    tokenMinutes: String(tokenMinutes),
    jwks: jwks && cut(JSON.stringify(jwks.keys.map(({ kid, kty, x, n }) => kid ?? x ?? n ?? kty))),
  } satisfies AuditDetails;
}

/** The organization's identities, or those of the projects whose admin the caller is, oldest first. */
export async function listIdentities({ organization, access }: MemberContext): Promise<IdentityRecord[]> {
  const stored = await list(identityRecord, ranges.identities(organization.slug));
  const managed = await managedProjects(access);
  const identities = stored.filter(identity => isOf(organization, identity) && isManaged(managed, identity));
  return identities.sort((a, b) => a.createdAt.localeCompare(b.createdAt) || a.id.localeCompare(b.id));
}

/** @throws identity_not_found, also for an admin of other projects than the identity's */
export async function requireIdentity(context: MemberContext, identityId: string): Promise<IdentityRecord> {
  const { organization, access } = context;
  const [identity, managed] = await Promise.all([
    find(at(identityRecord, organization.slug, identityId)),
    managedProjects(access),
  ]);
  if (identity === undefined || !isOf(organization, identity)) throw identityNotFound();
  if (!isManaged(managed, identity)) throw identityNotFound();
  return identity;
}

/**
 * @param before the identity, if those who can sign in as it stay the same
 * @throws forbidden, project_not_found
 */
async function requireMayGive({ access }: MemberContext, after: IdentityRecord, before?: IdentityRecord) {
  await requireManagedScope(access, after);
  if (mayGive(access.membership, rightsOf(after), before && rightsOf(before))) return;
  throw new ApiError('forbidden', 'Nobody can give an identity more rights in a project than they have there.');
}

/** The slug may have been another organization's when the identity was read. */
const isOf = ({ id }: OrganizationRecord, { organizationId }: IdentityRecord) => organizationId === id;

/**
 * @throws invalid_request for a forbidden issuer or claims that strangers could satisfy, project_not_found,
 * environment_not_found, identity_limit_reached, email_not_verified
 */
export async function createIdentity(context: MemberContext, requested: BodyOf<typeof creation>) {
  const { organization, principal } = context;
  const { id: organizationId, slug: orgSlug } = organization;
  const { projectId, environmentId, environmentIds, jwks = null, ...facts } = requested;
  requireTrust({ ...facts, jwks });
  const createdAt = new Date().toISOString();
  const provenance = { createdAt, createdBy: { id: principal.userId, email: principal.email }, updatedAt: createdAt };
  // Version 8, as `isIdentityId` expects.
  const ids = { id: derivedUuid(randomUUID()), organizationId, trustId: randomUUID() };
  const unlimited = { role: facts.role, projectId: null, environmentId: null };
  const limits = await limitsAfter(context, { projectId, environmentId, environmentIds }, unlimited);
  const identity: IdentityRecord = { ...facts, ...ids, ...limits, jwks, ...provenance, lastUsedAt: null };
  await requireMayGive(context, identity);
  const message = `The organization has ${maximumIdentities} identities. Delete one that is no longer used.`;
  const refused = () => new ApiError('identity_limit_reached', message);
  const bound = { if: { identityCount: lessThan(maximumIdentities) }, refused };
  const details = auditedFields(identity);
  await transact([
    changeCounts(organization, { identityCount: 1 }, bound),
    put(at(identityRecord, orgSlug, identity.id), identity, { if: isNew }),
    put(at(membershipRecord, identity.id, organizationId), { organizationId, orgSlug }, { if: isNew }),
    ...(await scopeHolds(orgSlug, identity)),
    ...hasVerifiedEmail(context, 'create an identity'),
    isStillMember(context),
    await context.audit({ action: 'identity.created', target: identityTarget(identity), details }),
  ]);
  return identity;
}

/**
 * A member who is being removed concurrently must not leave behind an identity that the removal did not see, nor one
 * whose role is losing rights an identity that still has them.
 */
function isStillMember({ organization, access }: MemberContext): Write {
  const { membership } = access;
  const refused = (current: Partial<MemberRecord> | undefined) =>
    current?.id === membership.id
      ? new ApiError('forbidden', 'Your rights have just changed. Send the request again.')
      : organizationNotFound();
  const isSame = asRead(membership, ['id', 'role', 'limited', 'projectRoles']);
  return check(at(memberRecord, organization.slug, membership.userId), { if: isSame, refused });
}

/**
 * Changes the given fields. An unchanged scope is not looked up again, because what it names may have been deleted.
 * @throws identity_not_found, invalid_request for limits that don't fit together, a deployer without an environment, a
 * forbidden issuer or claims that strangers could satisfy, project_not_found, environment_not_found
 */
export async function updateIdentity(context: MemberContext, identityId: string, changes: BodyOf<typeof change>) {
  const { slug } = context.organization;
  const { userId, email } = context.principal;
  return retryOnConditionFailed(async () => {
    const stored = await requireIdentity(context, identityId);
    const { projectId, environmentId, environmentIds, ...others } = changes;
    const given = Object.fromEntries(Object.entries(others).filter(([, value]) => value !== undefined));
    const facts = { ...stored, ...given };
    const limits = await limitsAfter(context, { projectId, environmentId, environmentIds }, facts);
    const requested: IdentityRecord = { ...facts, ...limits };
    if (isSame(stored, requested, Object.keys(requested) as (keyof IdentityRecord)[])) return stored;
    const trusts = isSame(stored, requested, ['issuer', 'claims', 'jwks']);
    if (!trusts) requireTrust(requested);
    await requireMayGive(context, requested, trusts ? stored : undefined);
    const trust = trusts ? {} : { trustId: randomUUID(), trustedBy: { id: userId, email } };
    const after: IdentityRecord = { ...requested, ...trust, updatedAt: laterThan(stored.updatedAt) };
    const { lastUsedAt: _, tokensEndedAt: __, ...set } = after;
    const [old, changed] = [auditedFields(stored), auditedFields(after)];
    const details = changedFields(old, changed, Object.keys(changed) as (keyof typeof changed)[]);
    const writes = [
      // The condition keeps this from undoing another change or bringing back a deleted identity.
      update(at(identityRecord, slug, identityId), { set }, { if: { updatedAt: equals(stored.updatedAt) } }),
      renewAccess(context.organization, () => organizationNotFound()),
      ...(isSame(stored, after, ['projectId', 'environmentId', 'environments']) ? [] : await scopeHolds(slug, after)),
      await context.audit({ action: 'identity.updated', target: identityTarget(after), details }),
    ];
    // What it may do, and who may use it, may have become less.
    await transact(asRevocation(writes));
    return after;
  });
}

function isSame(a: IdentityRecord, b: IdentityRecord, names: readonly (keyof IdentityRecord)[]): boolean {
  return names.every(name => isDeepStrictEqual(a[name], b[name]));
}

/** Deletes the identity, which also invalidates its tokens. @throws identity_not_found */
export async function deleteIdentity(context: MemberContext, identityId: string): Promise<void> {
  await retryOnConditionFailed(async () => {
    const identity = await requireIdentity(context, identityId);
    const endings = await identityEndings(context, [identity]);
    await transact(asRevocation([countIdentitiesEnded(context.organization, 1), ...endings]));
  });
}

/**
 * Rules that not even owners may relax. @throws invalid_request if the service must not fetch from that issuer URL, or
 * if strangers could satisfy the claims
 */
export function requireTrust({ issuer, claims, jwks }: Pick<IdentityRecord, 'issuer' | 'claims' | 'jwks'>): void {
  const problems = [
    { path: 'issuer', message: issuerProblem(issuer, jwks !== null) },
    { path: 'claims', message: claimsProblem(issuer, claims) },
  ].filter((problem): problem is { path: string; message: string } => problem.message !== undefined);
  if (problems.length > 0) throw invalidRequest(problems);
}

/** With keys, the issuer doesn't have to be reachable: a cluster's issuer is often a name in its own network. */
function issuerProblem(issuer: string, hasKeys: boolean): string | undefined {
  if (!hasKeys) return targetProblem(issuer);
  const url = URL.parse(issuer);
  return url?.protocol === 'http:' && !isAllowedPlain(url) ? 'must be an https URL' : undefined;
}
