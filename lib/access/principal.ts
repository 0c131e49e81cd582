import type { IdentityRole } from '../contracts/fields/identity-limits.ts';
import type { SessionRecord } from '../table/records/session.ts';
import type { TokenRecord } from '../table/records/token.ts';
import type { UserRecord } from '../table/records/user.ts';
import type { ViaProvider } from '../table/records/via-provider.ts';

/** Who makes a request, proven by a session or by a token of a user or an identity. */
export interface Principal {
  userId: string;
  email: string;
  credential: { method: 'session'; hash: string; session: SessionRecord } | { method: 'token'; token: TokenRecord };
  /** The account. Only read for sessions and on account routes; otherwise the token's item suffices. */
  user: UserRecord | undefined;
  /** Present if the caller is an identity: then `userId` is its id and `email` its name. */
  identity?: { name: string; role: IdentityRole };
}

export type AccountPrincipal = Principal & { user: UserRecord };

/** Whether the principal is a user whose account was read. */
export function hasAccount(principal: Principal | undefined): principal is AccountPrincipal {
  return principal?.user !== undefined;
}

/** The company's provider that the session came through, or the one that created the token. */
export function providerOf({ credential }: Principal): ViaProvider | undefined {
  const { provider } = credential.method === 'session' ? credential.session : credential.token;
  if (provider === undefined) return undefined;
  const { organizationId, orgSlug, trustedFactor, confined } = provider;
  return { organizationId, orgSlug, trustedFactor, confined };
}

/** How narrowly the principal's credential is limited. */
export function tokenLimitOf({ credential }: Principal): 'none' | 'organization' | 'project' | 'environment' {
  if (credential.method === 'session') return 'none';
  const { organizationId, projectId, environmentId } = credential.token;
  if (environmentId !== null) return 'environment';
  if (projectId !== null) return 'project';
  return organizationId !== null ? 'organization' : 'none';
}
