import type { AuditFacts } from '../audit/write.ts';
import type { AuditDetails } from '../contracts/fields/audit-action.ts';
import { audienceOf } from '../contracts/fields/identity-limits.ts';
import type { Identity } from '../contracts/identities/identity.ts';
import { ApiError } from '../core/errors.ts';
import type { IdentityRecord } from '../table/records/identity.ts';

/** The identity as the API shows it. */
export function identityView({ trustId: _, updatedAt: __, ...identity }: IdentityRecord): Identity {
  return { ...identity, tokensEndedAt: identity.tokensEndedAt ?? null, audience: audienceOf(identity.id) };
}

export function identityTarget({ id, name }: Pick<IdentityRecord, 'id' | 'name'>): AuditFacts['target'] {
  return { type: 'identity', id, name };
}

export function identityNotFound(): ApiError {
  return new ApiError('identity_not_found', 'There is no such identity in this organization.');
}

/** A page of the audit log has many entries, so each text in an entry is short. */
const longestText = 2000;

const cut = (text: string): string => (text.length > longestText ? `${text.slice(0, longestText)}…` : text);

/** The details of an identity in an audit entry. Claims and keys are recorded as text. */
export function auditedFields({ claims, jwks, ...identity }: IdentityRecord) {
  const { name, access, role, projectId, environmentId, issuer, singleUse, maxAssertionAgeMinutes, tokenMinutes } =
    identity;
  const keys = jwks === null ? null : cut(JSON.stringify(jwks.keys.map(({ kid, kty, x, n }) => kid ?? x ?? n ?? kty)));
  return {
    name,
    access,
    role,
    projectId,
    environmentId,
    issuer,
    // Sorted, because the table doesn't keep the order of names.
    claims: cut(JSON.stringify(Object.fromEntries(Object.entries(claims).sort(([a], [b]) => (a < b ? -1 : 1))))),
    singleUse,
    maxAssertionAgeMinutes: String(maxAssertionAgeMinutes),
    tokenMinutes: String(tokenMinutes),
    jwks: keys,
  } satisfies AuditDetails;
}
