import { randomUUID } from 'node:crypto';
import { type LinkTarget, linkEpochOf, linkHolds, newLink } from '../accounts/account-link.ts';
import { newSession } from '../accounts/new-session.ts';
import { newPendingLink } from '../accounts/pending-link.ts';
import { noPassword } from '../crypto/passwords.ts';
import { type Counter, countOne } from '../limits/count.ts';
import { networkOf } from '../limits/network.ts';
import { accountsFromProvider, accountsFromProviderOfNetwork, withRoomFor } from '../limits/rate-limits.ts';
import { joinWithProvider, type RemovedMemberRecord } from '../organizations/members/new-member.ts';
import { effectiveLimits, isUnlimited, recentPlanConfigs } from '../plans/effective-limits.ts';
import { equals, isNew } from '../table/expressions.ts';
import { at, readTogether } from '../table/read.ts';
import { memberRecord, removedMemberRecord } from '../table/records/member.ts';
import type { OrganizationRecord } from '../table/records/organization.ts';
import { countPlatform } from '../table/records/platform-count.ts';
import { accountLinkRecord, type ProviderLinkRecord, providerLinkRecord } from '../table/records/provider-link.ts';
import { domainRecord } from '../table/records/sign-in.ts';
import { emailRecord, type UserRecord, userRecord } from '../table/records/user.ts';
import { check, put, retryOnConditionFailed, transact, type Write } from '../table/write.ts';
import { askOwnFactor } from './ask-own-factor.ts';
import { domainOfEmail } from './domain-of-email.ts';
import { dashboardPage, type Redirect } from './log-in-page.ts';
import type { CallbackContext, OpenSignIn, Proof } from './open-sign-in.ts';
import { requireProvedDomain } from './prove-domain.ts';
import { needsOwnFactor, provedAtOf, providerOfSession } from './provider-session.ts';
import { SignInRefused } from './sign-in-refused.ts';
import { sameLink, sameOrganization, sameProvider } from './still-stands.ts';
import { isVerifiedAddress, requireHostedDomain, requireVerifiedDomain } from './verified-address.ts';

/**
 * Signs a person in whom the organization's provider has proved. Everything that this makes, it makes in one transaction:
 * the account, its link to the person, the membership, the session.
 * @throws email_missing, email_not_verified, domain_not_verified, link_required, invitation_required, plan_limit_exceeded,
 * second_factor_required, rate_limited
 */
export async function signIn(context: CallbackContext, open: OpenSignIn, proof: Proof): Promise<Redirect> {
  // Two first sign-ins at once want to create the same account: the second one then finds it.
  let counters: Promise<Counter[]> | undefined;
  const countersOnce = () => {
    counters ??= countersOf(open.organization, networkOf(context.source.ip));
    return counters;
  };
  return retryOnConditionFailed(() => attempt(context, open, proof, countersOnce));
}

/** What a new account counts towards: as many an hour as the organization has free places. */
async function countersOf(organization: OrganizationRecord, network: string): Promise<Counter[]> {
  const { id, memberCount, invitationCount } = organization;
  const { maxMembers } = effectiveLimits(organization, await recentPlanConfigs()).effective;
  const places = isUnlimited(maxMembers) ? -1 : Math.max(0, maxMembers - memberCount - invitationCount);
  return [accountsFromProvider(id), accountsFromProviderOfNetwork(network)].map(one => withRoomFor(one, places));
}

async function attempt(
  context: CallbackContext,
  open: OpenSignIn,
  proof: Proof,
  counters: () => Promise<Counter[]>,
): Promise<Redirect> {
  const { source, log } = context;
  const { started, organization } = open;
  requireHostedDomain(open.signIn, proof.profile);
  const account = await findAccount(context, open, proof, counters);
  const { user } = account;
  const joins = !account.isMember;
  const joining = joins ? await joinWithProvider(context, user, { ...open, removed: account.removed }) : [];
  const provider = providerOfSession(open, proof);
  const provedAt = provedAtOf(proof);
  const writes = [...account.writes, sameProvider(open)];
  if (needsOwnFactor(proof, user)) {
    const { clientVersion } = open.signIn;
    // Nobody is joined before their own factor is proved: the answer to the challenge makes these writes again.
    const asking = askOwnFactor(user, { clientVersion, provider, provedAt, ...(joins ? { joins } : {}) });
    await transact([...writes, sameOrganization(open), asking.write]);
    log.account('second_factor_asked', { userId: user.id, ip: source.ip });
    throw asking.refused;
  }
  const session = await newSession(user, source, { provider, provedAt });
  await transact([...writes, ...(joins ? joining : [sameOrganization(open)]), session.write]);
  log.account('logged_in', { userId: user.id, ip: source.ip, organizationId: organization.id });
  return { location: await dashboardPage(started.to), cookies: [session.cookie] };
}

interface Account {
  user: UserRecord;
  /** A removal that is under way ends the membership, whose every use is checked anyway. */
  isMember: boolean;
  /** The last membership that ended under the organization's slug. */
  removed: RemovedMemberRecord | undefined;
  /** What makes the account and its link, or checks that they are still there. */
  writes: Write[];
}

/**
 * The account of the person, found by issuer and subject and never by an address; a new one at the first sign-in.
 * @param counters what a new account counts towards
 * @throws link_required if there is an account with the person's address, which has to prove itself first;
 * invitation_required if its membership ended
 */
async function findAccount(
  context: CallbackContext,
  open: OpenSignIn,
  proof: Proof,
  counters: () => Promise<Counter[]>,
): Promise<Account> {
  const { organization } = open;
  const { email: named } = proof.profile;
  const isNamed = named !== undefined && isVerifiedAddress(open.signIn, proof);
  const { pointer, owner, claim } = await readTogether({
    pointer: at(providerLinkRecord, organization.slug, proof.person),
    owner: isNamed ? at(emailRecord, named) : undefined,
    claim: isNamed ? at(domainRecord, domainOfEmail(named)) : undefined,
  });
  if (pointer?.organizationId === organization.id) {
    const linked = await readCandidate(open, pointer.userId);
    if (linked === undefined) throw new Error('The account of a link does not exist.');
    if (linkHolds({ pointer, ...linked }, linked.user)) return linkedAccount(open, proof, pointer, linked);
    requireNeverRemoved(open, linked);
  }
  const { email, domain } = requireVerifiedDomain(open.signIn, proof);
  await requireProvedDomain(context, open, { domain, claim });
  if (owner !== undefined) throw await askForLogIn(open, proof, { userId: owner.userId, domain, pointer });
  const id = randomUUID();
  const user: UserRecord = {
    id,
    email,
    name: proof.profile.name ?? (email.split('@')[0] as string),
    // Only the provider says so, and that counts in its organization alone.
    emailVerified: false,
    passwordHash: noPassword,
    sessionEpoch: 0,
    creations: 0,
    createdAt: new Date().toISOString(),
  };
  return {
    user,
    isMember: false,
    removed: undefined,
    writes: [
      put(at(emailRecord, email), { userId: id }, { if: isNew }),
      put(at(userRecord, id), user, { if: isNew }),
      ...newLink(user, targetOf(open, proof), { replaced: pointer, isUsed: true }),
      check(at(domainRecord, domain), { if: { organizationId: equals(organization.id) } }),
      countPlatform({ users: 1 }),
      ...(await counters()).flatMap(countOne),
    ],
  };
}

/** An account that the person may be, with what it has to do with the organization. */
type Candidate = NonNullable<Awaited<ReturnType<typeof readCandidate>>>;

async function readCandidate({ organization: { id, slug } }: OpenSignIn, userId: string) {
  const { user, ...rest } = await readTogether({
    user: at(userRecord, userId),
    link: at(accountLinkRecord, userId, id),
    member: at(memberRecord, slug, userId),
    removed: at(removedMemberRecord, slug, userId),
  });
  return user && { user, ...rest };
}

function linkedAccount(
  open: OpenSignIn,
  proof: Proof,
  pointer: ProviderLinkRecord,
  { user, member, removed }: Candidate,
): Account {
  const isMember = member !== undefined;
  const isOlder = pointer.linkId === null;
  const unremoved = check(at(removedMemberRecord, open.organization.slug, user.id), {
    if: removed === undefined ? isNew : { organizationId: equals(removed.organizationId) },
  });
  return {
    user,
    isMember,
    removed,
    writes: [
      ...(isOlder
        ? newLink(user, targetOf(open, proof), { replaced: pointer, isUsed: true })
        : [sameLink(open, proof, user)]),
      // The membership may end meanwhile. A link from before accounts had a side of it ends only with that note.
      ...(isMember && !isOlder ? [] : [unremoved]),
    ],
  };
}

function targetOf({ organization: { id, slug }, signIn: { issuer } }: OpenSignIn, { person }: Proof): LinkTarget {
  return { organizationId: id, orgSlug: slug, issuer, person };
}

/** @throws invitation_required for somebody whose membership ended, whatever their provider says */
function requireNeverRemoved({ organization }: OpenSignIn, { member, removed }: Candidate): void {
  if (member === undefined && removed?.organizationId === organization.id) {
    throw new SignInRefused('invitation_required');
  }
}

/**
 * The refusal that leaves a cookie, with which the account's next log-in in this browser makes the link.
 * @throws invitation_required
 */
async function askForLogIn(
  open: OpenSignIn,
  proof: Proof,
  { userId, domain, pointer }: { userId: string; domain: string; pointer: ProviderLinkRecord | undefined },
): Promise<SignInRefused> {
  const candidate = await readCandidate(open, userId);
  if (candidate === undefined) throw new Error('The account of an address does not exist.');
  requireNeverRemoved(open, candidate);
  const { cookie, write } = newPendingLink({
    ...targetOf(open, proof),
    userId,
    domain,
    clientVersion: open.signIn.clientVersion,
    epoch: linkEpochOf(candidate.user),
    ...(pointer === undefined ? {} : { replacedLinkId: pointer.linkId }),
  });
  await transact([write]);
  return new SignInRefused('link_required', { cookies: [cookie] });
}
