import { type Membership, memberCaller, principalOf } from '../access/authenticate.ts';
import { authorize } from '../access/authorize.ts';
import type { Principal } from '../access/principal.ts';
import { pullSecrets } from '../contracts/secrets/pull-secrets.ts';
import { ApiError } from '../core/errors.ts';
import { ranges } from '../table/keys.ts';
import { list, queryItems } from '../table/read.ts';
import type { EnvironmentState } from '../table/records/environment.ts';
import type { OrganizationRecord } from '../table/records/organization.ts';
import { sessionRecord } from '../table/records/session.ts';
import { tokenRecord } from '../table/records/token.ts';
import { hasSecondFactor, type UserRecord } from '../table/records/user.ts';

type ReadEnvironment = Pick<EnvironmentState, 'id' | 'slug' | 'projectId' | 'organizationId' | 'type' | 'status'>;

/** Whether a request with the credential could pull from the environment: what every pull is asked. */
function mayPull(principal: Principal, membership: Membership, environment: ReadEnvironment): boolean {
  try {
    const caller = memberCaller(principal, membership, pullSecrets.access);
    authorize('member', pullSecrets.access, caller).access.requireEnvironment(environment, 'read');
    return true;
  } catch (error) {
    if (error instanceof ApiError) return false;
    throw error;
  }
}

/** Whether a member may read the environment, with a credential that they have or get by logging in. */
export async function memberReadsToday(
  user: UserRecord,
  membership: Membership & { organization: OrganizationRecord },
  { environment, isLinked }: { environment: ReadEnvironment; isLinked: boolean },
): Promise<boolean> {
  const may = (principal: Principal) => mayPull(principal, membership, environment);
  if (logInsOf(user, membership.organization, isLinked).some(may)) return true;
  return (await credentialsOf(user)).some(may);
}

/** Whether an identity may read it. It gets a token whenever its platform gives it one of its own. */
export function identityReadsToday(
  identity: NonNullable<Membership['identity']>,
  organization: OrganizationRecord,
  environment: ReadEnvironment,
): boolean {
  const { id, name, access, projectId, environmentId, trustId } = identity;
  const now = new Date().toISOString();
  const token = {
    id,
    userId: id,
    email: name,
    hash: '',
    name,
    prefix: '',
    access,
    organizationId: organization.id,
    projectId,
    environmentId,
    memberId: trustId,
    secondFactor: false,
    createdAt: now,
    lastUsedAt: null,
    expiryDate: null,
  };
  const principal: Principal = { userId: id, email: name, credential: { method: 'token', token }, user: undefined };
  return mayPull(principal, { organization, identity }, environment);
}

/** The sessions that the user would get: by logging in, and through the organization's provider. */
function logInsOf(user: UserRecord, organization: OrganizationRecord, isLinked: boolean): Principal[] {
  const hasFactor = hasSecondFactor(user);
  const now = new Date().toISOString();
  const session = {
    userId: user.id,
    epoch: user.sessionEpoch,
    createdAt: now,
    lastUsedAt: now,
    ip: '',
    userAgent: '',
    provedAt: now,
    secondFactor: hasFactor,
    expiresAt: 0,
  };
  const { id: organizationId, slug: orgSlug, providerVersion, trustProviderFactor } = organization;
  const provider = {
    organizationId,
    orgSlug,
    clientVersion: providerVersion ?? '',
    trustedFactor: trustProviderFactor === true,
    confined: false,
    person: '',
  };
  return [
    { ...session, loggedInWithFactor: hasFactor },
    ...(isLinked && providerVersion !== undefined ? [{ ...session, provider }] : []),
  ].map(one => ({
    userId: user.id,
    email: user.email,
    credential: { method: 'session', hash: '', session: one },
    user,
  }));
}

/** The user's valid sessions and tokens. Some may do what a new log-in may not, until they end. */
async function credentialsOf(user: UserRecord): Promise<Principal[]> {
  const range = ranges.sessions(user.id);
  const [sessions, tokens] = await Promise.all([queryItems(range), list(tokenRecord, ranges.tokens(user.id))]);
  return [
    ...sessions.map(item => {
      const hash = String(item.sk).slice(range.beginsWith.length);
      return principalOf({ method: 'session', hash }, { session: sessionRecord.parse(item), user });
    }),
    ...tokens.map(token => principalOf({ method: 'token', hash: token.hash }, { token })),
  ].filter(principal => principal !== undefined);
}
