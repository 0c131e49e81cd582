import { randomUUID } from 'node:crypto';
import { newSession } from '../accounts/new-session.ts';
import { newPendingLink } from '../accounts/pending-link.ts';
import { noPassword } from '../crypto/passwords.ts';
import { type Counter, countOne } from '../limits/count.ts';
import { networkOf } from '../limits/network.ts';
import { accountsFromProvider, accountsFromProviderOfNetwork } from '../limits/rate-limits.ts';
import { equals, isNew } from '../table/expressions.ts';
import { at, readTogether } from '../table/read.ts';
import { memberRecord, removedMemberRecord } from '../table/records/member.ts';
import { countPlatform } from '../table/records/platform-count.ts';
import { providerLinkRecord } from '../table/records/provider-link.ts';
import { domainRecord } from '../table/records/sign-in.ts';
import { emailRecord, type UserRecord, userRecord } from '../table/records/user.ts';
import { check, put, retryOnConditionFailed, transact, type Write } from '../table/write.ts';
import { askOwnFactor } from './ask-own-factor.ts';
import { joinOrganization, type RemovedMemberRecord } from './join-organization.ts';
import { dashboardPage, type Redirect } from './log-in-page.ts';
import type { CallbackContext, OpenSignIn, Proof } from './open-sign-in.ts';
import { needsOwnFactor, provedAtOf, providerOfSession } from './provider-session.ts';
import { SignInRefused } from './sign-in-refused.ts';
import { sameLink, sameOrganization, sameProvider } from './still-stands.ts';
import { requireHostedDomain, requireVerifiedDomain } from './verified-address.ts';

/**
 * Signs a person in whom the organization's provider has proved. Everything that this makes, it makes in one transaction:
 * the account, its link to the person, the membership, the session.
 * @throws email_not_verified, domain_not_verified, link_required, invitation_required, plan_limit_exceeded,
 * second_factor_required, rate_limited
 */
export async function signIn(context: CallbackContext, open: OpenSignIn, proof: Proof): Promise<Redirect> {
  // Two first sign-ins at once want to create the same account: the second one then finds it.
  const network = networkOf(context.source.ip);
  const counters = [accountsFromProvider(open.organization.id), accountsFromProviderOfNetwork(network)];
  return retryOnConditionFailed(() => attempt(context, open, proof, counters));
}

async function attempt(
  context: CallbackContext,
  open: OpenSignIn,
  proof: Proof,
  counters: readonly Counter[],
): Promise<Redirect> {
  const { source, log } = context;
  const { started, organization } = open;
  requireHostedDomain(open.signIn, proof.profile);
  const account = await findAccount(open, proof, counters);
  const { user } = account;
  const joining = account.isMember
    ? [sameOrganization(open)]
    : await joinOrganization(context, open, user, account.removed);
  const provider = providerOfSession(open, proof, user);
  const provedAt = provedAtOf(proof);
  const writes = [...account.writes, ...joining, sameProvider(open)];
  if (needsOwnFactor(proof, user)) {
    const { clientVersion } = open.signIn;
    const asking = askOwnFactor(user, { clientVersion, provider, provedAt });
    await transact([...writes, asking.write]);
    log.account('second_factor_asked', { userId: user.id, ip: source.ip });
    throw asking.refused;
  }
  const session = await newSession(user, source, { provider, provedAt });
  await transact([...writes, session.write]);
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
async function findAccount(open: OpenSignIn, proof: Proof, counters: readonly Counter[]): Promise<Account> {
  const { organization } = open;
  const item = at(providerLinkRecord, organization.slug, proof.person);
  const { email: named, emailVerified } = proof.profile;
  const { link, pointer } = await readTogether({
    link: item,
    pointer: named === undefined || !emailVerified ? undefined : at(emailRecord, named),
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
  const { email, domain } = requireVerifiedDomain(open.signIn, proof.profile);
  if (pointer !== undefined) throw await askForLogIn(open, proof, { userId: pointer.userId, domain });
  const id = randomUUID();
  const createdAt = new Date().toISOString();
  const user: UserRecord = {
    id,
    email,
    name: proof.profile.name ?? (email.split('@')[0] as string),
    emailVerified: true,
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
      ...counters.flatMap(countOne),
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
