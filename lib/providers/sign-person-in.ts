import { randomUUID } from 'node:crypto';
import { newSession } from '../accounts/new-session.ts';
import { newPendingLink } from '../accounts/pending-link.ts';
import { noPassword } from '../crypto/passwords.ts';
import { type Counter, countOne } from '../limits/count.ts';
import { networkOf } from '../limits/network.ts';
import { accountsFromProvider, accountsFromProviderOfNetwork, withRoomFor } from '../limits/rate-limits.ts';
import { joinWithProvider, type RemovedMemberRecord } from '../organizations/members/join-with-provider.ts';
import { effectiveLimits, isUnlimited, recentPlanConfigs } from '../plans/effective-limits.ts';
import { equals, isNew } from '../table/expressions.ts';
import { at, readTogether } from '../table/read.ts';
import { memberRecord, removedMemberRecord } from '../table/records/member.ts';
import type { OrganizationRecord } from '../table/records/organization.ts';
import { countPlatform } from '../table/records/platform-count.ts';
import { providerLinkRecord } from '../table/records/provider-link.ts';
import { domainRecord } from '../table/records/sign-in.ts';
import { emailRecord, type UserRecord, userRecord } from '../table/records/user.ts';
import { check, put, retryOnConditionFailed, transact, type Write } from '../table/write.ts';
import { askOwnFactor } from './ask-own-factor.ts';
import { dashboardPage, type Redirect } from './log-in-page.ts';
import type { CallbackContext, OpenSignIn, Proof } from './open-sign-in.ts';
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
  const account = await findAccount(open, proof, counters);
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
 * @throws link_required if there is an account with the person's address, which has to prove itself first
 */
async function findAccount(open: OpenSignIn, proof: Proof, counters: () => Promise<Counter[]>): Promise<Account> {
  const { organization } = open;
  const item = at(providerLinkRecord, organization.slug, proof.person);
  const { email: named } = proof.profile;
  const { link, pointer } = await readTogether({
    link: item,
    pointer: named === undefined || !isVerifiedAddress(open.signIn, proof) ? undefined : at(emailRecord, named),
  });
  if (link?.organizationId === organization.id) {
    const { user, member, removed } = await readTogether({
      user: at(userRecord, link.userId),
      member: at(memberRecord, organization.slug, link.userId),
      removed: at(removedMemberRecord, organization.slug, link.userId),
    });
    if (user === undefined) throw new Error('The account of a link does not exist.');
    return {
      user,
      isMember: member !== undefined,
      removed,
      writes: [sameLink(open, proof, user.id)],
    };
  }
  const { email, domain } = requireVerifiedDomain(open.signIn, proof);
  if (pointer !== undefined) throw await askForLogIn(open, proof, { userId: pointer.userId, domain });
  const id = randomUUID();
  const createdAt = new Date().toISOString();
  const user: UserRecord = {
    id,
    email,
    name: proof.profile.name ?? (email.split('@')[0] as string),
    // Only the provider says so, and that counts in its organization alone.
    emailVerified: false,
    passwordHash: noPassword,
    sessionEpoch: 0,
    creations: 0,
    createdAt,
  };
  const made = { organizationId: organization.id, userId: id, issuer: open.signIn.issuer, createdAt };
  return {
    user,
    isMember: false,
    removed: undefined,
    writes: [
      put(at(emailRecord, email), { userId: id }, { if: isNew }),
      put(at(userRecord, id), user, { if: isNew }),
      put(item, made, { if: isNew }),
      check(at(domainRecord, domain), { if: { organizationId: equals(organization.id) } }),
      countPlatform({ users: 1 }),
      ...(await counters()).flatMap(countOne),
    ],
  };
}

/** The refusal that leaves a cookie, with which the account's next log-in in this browser makes the link. */
async function askForLogIn(
  { organization, signIn: { issuer, clientVersion } }: OpenSignIn,
  proof: Proof,
  account: { userId: string; domain: string },
): Promise<SignInRefused> {
  const { cookie, write } = newPendingLink({
    ...account,
    organizationId: organization.id,
    orgSlug: organization.slug,
    issuer,
    person: proof.person,
    clientVersion,
  });
  await transact([write]);
  return new SignInRefused('link_required', { cookies: [cookie] });
}
