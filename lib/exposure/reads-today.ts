import { type Membership, memberCaller, principalOf } from '../access/authenticate.ts';
import { authorize } from '../access/authorize.ts';
import type { Principal } from '../access/principal.ts';
import { linkHolds } from '../accounts/account-link.ts';
import type { Place } from '../audit/places.ts';
import type { EnvironmentType } from '../contracts/fields/role.ts';
import { pullSecrets } from '../contracts/secrets/secrets.ts';
import { chunksOf } from '../core/chunks-of.ts';
import { ApiError } from '../core/errors.ts';
import { canBreakGlass } from '../organizations/break-glass.ts';
import { ranges } from '../table/keys.ts';
import { at, list, queryItems, readAll, readTogether } from '../table/read.ts';
import { type SessionRecord, sessionRecord, tokenRecord } from '../table/records/credentials.ts';
import type { EnvironmentState } from '../table/records/environment.ts';
import { identityRightsRecord } from '../table/records/identity.ts';
import {
  type MemberRecord,
  memberRecord,
  type OrganizationRecord,
  removedMemberRecord,
} from '../table/records/organization.ts';
import { accountLinkRecord, type ProviderLinkRecord, providerLinkRecord } from '../table/records/sign-in.ts';
import { hasSecondFactor, type UserRecord, userRecord } from '../table/records/user.ts';

type ActiveMembership = Membership & { organization: OrganizationRecord; member: MemberRecord };

type ReadEnvironment = Pick<EnvironmentState, 'id' | 'slug' | 'projectId' | 'organizationId' | 'type' | 'status'> & {
  projectSlug: string;
};

/** Adds to each reader whether they may read the environment today. */
export async function readersToday<Reader extends { actor: { id: string } }>(
  organization: OrganizationRecord,
  { project, environment: { type, ...named } }: Place,
  readers: readonly Reader[],
): Promise<(Reader & { hasAccess: boolean })[]> {
  const { id: organizationId, slug } = organization;
  const ids = { projectId: project.id, projectSlug: project.slug, organizationId };
  const facts = { type: type as EnvironmentType, ...ids, status: 'active' as const };
  const environment = { ...named, ...facts };
  const [members, identities, users, pointers] = await Promise.all([
    list(memberRecord, ranges.members(slug)),
    list(identityRightsRecord, ranges.identities(slug)),
    readAll(readers.map(({ actor }) => at(userRecord, actor.id))),
    organization.providerVersion === undefined ? [] : list(providerLinkRecord, ranges.providerLinks(slug)),
  ]);
  const mayRead = (id: string, user: UserRecord | undefined) => {
    const identity = identities.find(stored => stored.id === id);
    if (identity !== undefined) return identityReadsToday(identity, organization, environment);
    const member = members.find(({ userId }) => userId === id);
    if (member === undefined || user === undefined) return false;
    return memberReadsToday(user, { organization, member }, environment, pointers);
  };
  const answer = async ([index, reader]: [number, Reader]) => {
    return { ...reader, hasAccess: await mayRead(reader.actor.id, users[index]) };
  };
  const answered: (Reader & { hasAccess: boolean })[] = [];
  for (const chunk of chunksOf(25, [...readers.entries()])) answered.push(...(await Promise.all(chunk.map(answer))));
  return answered;
}

/** Whether a request with the credential could pull from the environment: the same checks as for a pull. */
function mayPull(principal: Principal, membership: Membership, environment: ReadEnvironment): boolean {
  try {
    const caller = memberCaller(principal, membership, {
      rule: pullSecrets.access,
      projectSlug: environment.projectSlug,
    });
    authorize('member', pullSecrets.access, caller).access.requireEnvironment(environment, 'read');
    return true;
  } catch (error) {
    if (error instanceof ApiError) return false;
    throw error;
  }
}

/** Whether a member may read the environment, with an existing credential or by logging in. */
async function memberReadsToday(
  user: UserRecord,
  membership: ActiveMembership,
  environment: ReadEnvironment,
  pointers: readonly ProviderLinkRecord[],
): Promise<boolean> {
  const may = (principal: Principal) => mayPull(principal, membership, environment);
  if (may(await ownLogIn(user, membership))) return true;
  const provided = sessionThroughProvider(user, membership.organization);
  if (provided !== undefined && may(provided) && (await isLinked(user, membership, pointers))) return true;
  return (await credentialsOf(user)).some(may);
}

/** Whether one of the organization's links leads to the account. */
async function isLinked(
  user: UserRecord,
  { organization: { id, slug } }: ActiveMembership,
  pointers: readonly ProviderLinkRecord[],
): Promise<boolean> {
  const own = pointers.filter(({ userId, organizationId }) => userId === user.id && organizationId === id);
  if (own.length === 0) return false;
  const { link, removed } = await readTogether({
    link: at(accountLinkRecord, user.id, id),
    removed: at(removedMemberRecord, slug, user.id),
  });
  return own.some(pointer => linkHolds({ pointer, link, removed }, user));
}

/** Whether an identity may read it with a token that it can get at any time. */
function identityReadsToday(
  identity: NonNullable<Membership['identity']>,
  organization: OrganizationRecord,
  environment: ReadEnvironment,
): boolean {
  const { id, name, access, projectId, environmentId, trustId } = identity;
  const limits = { access, organizationId: organization.id, projectId, environmentId, memberId: trustId };
  const times = { createdAt: new Date().toISOString(), lastUsedAt: null, expiryDate: null };
  const token = { id, userId: id, email: name, hash: '', name, prefix: '', secondFactor: false, ...limits, ...times };
  const principal: Principal = { userId: id, email: name, credential: { method: 'token', token }, user: undefined };
  return mayPull(principal, { organization, identity }, environment);
}

/** The session that the user would get by logging in without the provider. */
async function ownLogIn(user: UserRecord, { organization, member }: ActiveMembership): Promise<Principal> {
  const mayBreakGlass = organization.requireProvider === true && member.role === 'owner';
  const brokeGlassIn = mayBreakGlass && (await canBreakGlass(user, organization)) ? [organization.id] : [];
  return newSessionOf(user, { brokeGlassIn });
}

/** The session that a linked user would get through the organization's provider; undefined without a provider. */
function sessionThroughProvider(user: UserRecord, organization: OrganizationRecord): Principal | undefined {
  const { id: organizationId, slug: orgSlug, providerVersion: clientVersion, trustProviderFactor } = organization;
  if (clientVersion === undefined) return undefined;
  const session = { organizationId, orgSlug, clientVersion, confined: true, person: '' };
  return newSessionOf(user, { provider: { ...session, trustedFactor: trustProviderFactor === true } });
}

function newSessionOf(user: UserRecord, facts: Pick<SessionRecord, 'brokeGlassIn' | 'provider'>): Principal {
  const now = new Date().toISOString();
  const times = { createdAt: now, lastUsedAt: now, provedAt: now, expiresAt: 0 };
  const account = { userId: user.id, epoch: user.sessionEpoch, secondFactor: hasSecondFactor(user) };
  const session: SessionRecord = { ...account, ...times, ip: '', userAgent: '', ...facts };
  return { userId: user.id, email: user.email, credential: { method: 'session', hash: '', session }, user };
}

/** The user's valid sessions and tokens, which may do what a session from a new log-in may not. */
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
