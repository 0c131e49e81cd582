import { randomUUID } from 'node:crypto';
import type { MemberContext } from '../access/request-context.ts';
import { hasVerifiedEmail } from '../access/verified-email.ts';
import type { BodyOf } from '../contracts/contract.ts';
import { maximumIdentities } from '../contracts/fields/identity-limits.ts';
import type { createIdentity as contract } from '../contracts/identities/create-identity.ts';
import { ApiError, organizationNotFound } from '../core/errors.ts';
import { derivedUuid } from '../crypto/derived-uuid.ts';
import { changeCounts } from '../organizations/change-counts.ts';
import { equals, isNew, lessThan } from '../table/expressions.ts';
import { at } from '../table/read.ts';
import { type IdentityRecord, identityRecord } from '../table/records/identity.ts';
import { memberRecord, membershipRecord } from '../table/records/member.ts';
import { check, put, transact, type Write } from '../table/write.ts';
import { findScope, readPlaces, scopeChecks } from '../webhooks/find-scope.ts';
import { auditedFields, identityTarget } from './identity-view.ts';
import { requireTrust } from './require-trust.ts';

/**
 * Creates an identity.
 * @throws invalid_request for a forbidden issuer or claims that strangers could satisfy, project_not_found,
 * environment_not_found, identity_limit_reached, email_not_verified
 */
export async function createIdentity(context: MemberContext, wanted: BodyOf<typeof contract>): Promise<IdentityRecord> {
  const { organization, principal } = context;
  const { projectId = null, environmentId = null, jwks = null, ...facts } = wanted;
  requireTrust({ ...facts, jwks });
  const scope = findScope(await readPlaces(organization.slug, projectId !== null), { projectId, environmentId });
  const createdAt = new Date().toISOString();
  const identity: IdentityRecord = {
    ...facts,
    organizationId: organization.id,
    // Version 8, as `isIdentityId` expects.
    id: derivedUuid(randomUUID()),
    projectId,
    environmentId,
    jwks,
    trustId: randomUUID(),
    createdAt,
    createdBy: { id: principal.userId, email: principal.email },
    updatedAt: createdAt,
    lastUsedAt: null,
  };
  const membership = { organizationId: organization.id, orgSlug: organization.slug };
  await transact([
    changeCounts(
      organization,
      { identityCount: 1 },
      {
        if: { identityCount: lessThan(maximumIdentities) },
        refused: () =>
          new ApiError(
            'identity_limit_reached',
            `The organization has ${maximumIdentities} identities. Delete one that is no longer used.`,
          ),
      },
    ),
    put(at(identityRecord, organization.slug, identity.id), identity, { if: isNew }),
    put(at(membershipRecord, identity.id, organization.id), membership, { if: isNew }),
    ...scopeChecks(organization.slug, scope),
    ...hasVerifiedEmail(context, 'create an identity'),
    isStillMember(context),
    await context.audit({
      action: 'identity.created',
      target: identityTarget(identity),
      details: auditedFields(identity),
    }),
  ]);
  return identity;
}

/** A member who is being removed concurrently must not leave behind an identity that the removal did not see. */
function isStillMember({ organization, access }: MemberContext): Write {
  const { id, userId } = access.member;
  return check(at(memberRecord, organization.slug, userId), {
    if: { id: equals(id) },
    refused: () => organizationNotFound(),
  });
}
