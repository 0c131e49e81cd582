import type { AuditFacts } from '../access/audit-write.ts';
import type { AuditDetails } from '../contracts/fields/audit-action.ts';
import { audienceOf } from '../contracts/fields/identity-limits.ts';
import type { Identity } from '../contracts/identities/identity.ts';
import { ApiError } from '../core/errors.ts';
import type { IdentityRecord } from '../table/records/identity.ts';

/** The identity as the API shows it. */
export function identityView({ trustId: _, updatedAt: __, ...identity }: IdentityRecord): Identity {
  return { ...identity, audience: audienceOf(identity.id) };
}

export function identityTarget({ id, name }: Pick<IdentityRecord, 'id' | 'name'>): AuditFacts['target'] {
  return { type: 'identity', id, name };
}

export function identityNotFound(): ApiError {
  return new ApiError('identity_not_found', 'There is no such identity in this organization.');
}

/** An item of the audit log is read with many others. */
const longestText = 2000;

const cut = (text: string): string => (text.length > longestText ? `${text.slice(0, longestText)}…` : text);

/** What an audit entry says of an identity. Claims and keys are lists, and stand there as text. */
export function auditedFields({ claims, jwks, ...identity }: IdentityRecord) {
  const { name, access, role, projectId, environmentId, issuer, tokenMinutes } = identity;
  const keys = jwks === null ? null : cut(JSON.stringify(jwks.keys.map(({ kid, kty, x, n }) => kid ?? x ?? n ?? kty)));
  return {
    name,
    access,
    role,
    projectId,
    environmentId,
    issuer,
    // The table keeps no order of names, and an order is no change.
    claims: cut(JSON.stringify(Object.fromEntries(Object.entries(claims).sort(([a], [b]) => (a < b ? -1 : 1))))),
    tokenMinutes: String(tokenMinutes),
    jwks: keys,
  } satisfies AuditDetails;
}
