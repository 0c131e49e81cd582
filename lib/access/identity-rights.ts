import type { IdentityRights } from '../table/records/identity.ts';
import type { MemberRecord } from '../table/records/member.ts';
import type { TokenRecord } from '../table/records/token.ts';
import type { Principal } from './principal.ts';

/**
 * Whether the id in a credential belongs to an identity (a UUID of version 8) rather than to a user (version 4). This
 * only saves a read; the rights come from the stored token and identity.
 */
export function isIdentityId(id: string): boolean {
  return id[14] === '8';
}

/** Uses the identity's current rights, not those it had when the token was issued. */
export function identityPrincipal(principal: Principal, token: TokenRecord, identity: IdentityRights): Principal {
  const { name, role, access, projectId, environmentId } = identity;
  return {
    ...principal,
    email: name,
    credential: { method: 'token', token: { ...token, access, projectId, environmentId } },
    identity: { name, role },
  };
}

/** A deployer is a viewer, except where `MemberAccess` knows that the operation admits deployers. */
export function memberOf({ id, trustId, name, role, createdAt }: IdentityRights): MemberRecord {
  const memberRole = role === 'deployer' ? 'viewer' : role;
  return { id: trustId, userId: id, email: name, name, role: memberRole, joinedAt: createdAt };
}
