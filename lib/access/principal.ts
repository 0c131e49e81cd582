import { type AuditActor, identityActor } from '../audit/write.ts';
import type { TokenLimit } from '../contracts/contract.ts';
import type { IdentityRole } from '../contracts/fields/identity-limits.ts';
import { namesOnly as namesAccess } from '../contracts/fields/role.ts';
import type { SessionRecord, TokenRecord, ViaProvider } from '../table/records/credentials.ts';
import type { IdentityEnvironment, IdentityRights } from '../table/records/identity.ts';
import type { MemberRecord } from '../table/records/organization.ts';
import type { UserRecord } from '../table/records/user.ts';
import { sessionIdOf } from './session-cookie.ts';
import type { TokenScope } from './token-scope.ts';

/** Who makes a request, proven by a session or by a token of a user or an identity. */
export interface Principal {
  userId: string;
  email: string;
  credential: { method: 'session'; hash: string; session: SessionRecord } | { method: 'token'; token: TokenRecord };
  /** The account. Only read for sessions and on account routes; otherwise the token's item suffices. */
  user: UserRecord | undefined;
  /** Whether the request asked for no more than a token for names only may do. */
  namesOnly?: boolean;
  /** Present if the caller is an identity: then `userId` is its id and `email` its name. */
  identity?: { name: string; role: IdentityRole; environments: readonly IdentityEnvironment[] | undefined };
}

export type AccountPrincipal = Principal & { user: UserRecord };

/** Whether the caller may learn and choose no value: the token may not, or the request asked for that. */
export function isNamesOnly({ credential, namesOnly = false }: Principal): boolean {
  return namesOnly || (credential.method === 'token' && credential.token.access === namesAccess);
}

export function hasAccount(principal: Principal | undefined): principal is AccountPrincipal {
  return principal?.user !== undefined;
}

/** The company's provider that the session came through, or the one that created the token. */
export function providerOf({ credential }: Principal): ViaProvider | undefined {
  const { provider } = credential.method === 'session' ? credential.session : credential.token;
  if (provider === undefined) return undefined;
  const { organizationId, orgSlug, clientVersion, trustedFactor, lifted, confined } = provider;
  return { organizationId, orgSlug, clientVersion, trustedFactor, lifted, confined };
}

/** The provider whose organization confines the credential, because no credential of the account itself was proved. */
export function confinementOf(principal: Principal): ViaProvider | undefined {
  const provider = providerOf(principal);
  return provider?.lifted === true ? undefined : provider;
}

/** The only organization that a confined session or a limited token reaches. */
export function onlyOrganizationOf(principal: Principal): string | undefined {
  const { credential } = principal;
  const limit = credential.method === 'token' ? credential.token.organizationId : null;
  return confinementOf(principal)?.organizationId ?? limit ?? undefined;
}

export function limitOf(principal: Principal): TokenLimit {
  const { projectId, environmentId, environments } = scopeOf(principal);
  if (environmentId !== null || environments !== undefined) return 'environment';
  if (projectId !== null) return 'project';
  return onlyOrganizationOf(principal) === undefined ? 'none' : 'organization';
}

const unlimited: TokenScope = { projectId: null, environmentId: null };

/** What the credential is limited to within its organization. */
export function scopeOf({ credential, identity }: Principal): TokenScope {
  if (credential.method === 'session') return unlimited;
  const { projectId, environmentId } = credential.token;
  return { projectId, environmentId, environments: identity?.environments };
}

/**
 * Whether an id belongs to an identity (a UUID of version 8) rather than to a user (version 4). This only saves a read;
 * the rights come from the stored token and identity.
 */
export function isIdentityId(id: string): boolean {
  return id[14] === '8';
}

/** Uses the identity's current rights, not those it had when the token was issued. */
export function identityPrincipal(principal: Principal, token: TokenRecord, identity: IdentityRights): Principal {
  const { name, role, access, projectId, environmentId, environments } = identity;
  return {
    ...principal,
    email: name,
    credential: { method: 'token', token: { ...token, access, projectId, environmentId } },
    identity: { name, role, environments },
  };
}

/** A deployer is a viewer, except where `MemberAccess` knows that the operation admits deployers. */
export function memberOf({ id, trustId, name, role, createdAt }: IdentityRights): MemberRecord {
  const memberRole = role === 'deployer' ? 'viewer' : role;
  return { id: trustId, userId: id, email: name, name, role: memberRole, joinedAt: createdAt };
}

export function actorOf({ userId, email, credential, identity }: Principal): AuditActor {
  if (credential.method === 'session')
    return { id: userId, email, type: 'session', sessionId: sessionIdOf(credential) };
  const { id: tokenId, name } = credential.token;
  if (identity !== undefined) return identityActor(userId, identity.name, tokenId);
  return { id: userId, email, name, type: 'token', tokenId };
}
