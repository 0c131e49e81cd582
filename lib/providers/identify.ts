import type { JWTPayload } from 'jose';
import { sessionIdOf } from '../access/session-cookie.ts';
import { type LinkTarget, linkEpochOf, linkHolds, newLink, usedLink } from '../accounts/account-link.ts';
import { newAccount } from '../accounts/new-account.ts';
import type { ReplacedSession } from '../accounts/sessions.ts';
import { noPassword } from '../crypto/passwords.ts';
import { entraTenantOf, isSharedIssuer } from '../identities/shared-issuers.ts';
import { type Counter, countOne } from '../limits/count.ts';
import { networkOf } from '../limits/network.ts';
import { accountsFromProvider, accountsFromProviderOfNetwork, withRoomFor } from '../limits/rate-limits.ts';
import { freePlaces, type RemovedMemberRecord, wasRemoved } from '../organizations/members/new-member.ts';
import { recentPlanConfigs } from '../plans/effective-limits.ts';
import { equals, isNew } from '../table/expressions.ts';
import { at, find, readTogether } from '../table/read.ts';
import { type MemberRecord, memberRecord, removedMemberRecord } from '../table/records/organization.ts';
import { countPlatform } from '../table/records/platform.ts';
import {
  accountLinkRecord,
  domainRecord,
  type PendingLinkRecord,
  type ProviderLinkRecord,
  providerLinkRecord,
  type SignInRecord,
} from '../table/records/sign-in.ts';
import { emailRecord, isFreeAddress, type UserRecord, userRecord } from '../table/records/user.ts';
import { check, type Write } from '../table/write.ts';
import { SignInRefused, signInExpired } from './log-in-page.ts';
import { domainOfEmail, requireProvedDomain } from './prove-domain.ts';
import type { CallbackContext, OpenSignIn, Profile, Proof, ProvenPerson } from './redeem.ts';

export interface Identified {
  user: UserRecord;
  /** Create the account and its link, or check that both are still there. */
  writes: Write[];
  /** The check that no membership has ended meanwhile. The end of the present one writes the same item. */
  unremoved?: Write[];
  /** Of a person who is no member yet: their last membership that ended under the organization's slug. */
  joins?: { removed: RemovedMemberRecord | undefined };
  /** Of a member. */
  member?: MemberRecord | undefined;
  replaces?: ReplacedSession;
  /** When the person last authenticated. A provider that doesn't say so may have signed them in days ago. */
  provedAtMs: number;
}

/** An account with the person's address, which must prove itself before it is linked. */
interface Unlinked {
  link: Omit<PendingLinkRecord, 'expiresAt'>;
}

/** The counters of new accounts, whose bound is the organization's free places if these are more. */
export async function accountCounters({ organization }: OpenSignIn, { source }: CallbackContext): Promise<Counter[]> {
  const places = freePlaces(organization, await recentPlanConfigs());
  const counters = [accountsFromProvider(organization.id), accountsFromProviderOfNetwork(networkOf(source.ip))];
  return counters.map(counter => withRoomFor(counter, Number.isFinite(places) ? Math.max(0, places) : -1));
}

/** The session that started a step-up or a test, with its account. @throws session_required */
export function startingSession({ principal }: CallbackContext, { started }: OpenSignIn) {
  const credential = principal?.credential;
  if (principal === undefined || credential?.method !== 'session' || credential.hash !== started.sessionHash) {
    throw new SignInRefused('session_required');
  }
  return { user: principal.user, credential };
}

/**
 * The session's own account, which its person has just proved again at the provider.
 * @throws session_required, other_person, not_fresh, domain_not_verified
 */
export async function identifySession(context: CallbackContext, open: OpenSignIn, proof: Proof): Promise<Identified> {
  const { started, organization, signIn } = open;
  const { user, credential } = startingSession(context, open);
  const { hash, session } = credential;
  if (session.provider?.organizationId !== organization.id || session.provider.person !== proof.person) {
    throw new SignInRefused('other_person');
  }
  requireHostedDomain(signIn, proof.profile);
  const now = Date.now();
  // If the provider doesn't say when, the organization may accept the round trip itself, which this session started.
  const provedAtMs = authenticatedAtMs(proof.claims, now) ?? (signIn.acceptRoundTrip === true ? now : 0);
  if (provedAtMs < started.startedAtMs - clockSkewMs) throw new SignInRefused('not_fresh');
  const replaces = { id: sessionIdOf(credential), hash, createdAt: session.createdAt };
  const member = await find(at(memberRecord, organization.slug, user.id));
  return { user, writes: [linkStillHolds(open, proof, user)], member, replaces, provedAtMs };
}

/**
 * The account of the person, identified by issuer and subject and never by an address; a new one at the first sign-in.
 * @throws email_missing, email_not_verified, domain_not_verified; invitation_required after a membership that ended
 */
export async function identify(
  context: CallbackContext,
  open: OpenSignIn,
  proof: Proof,
  counters: () => Promise<Counter[]>,
): Promise<Identified | Unlinked> {
  const { organization, signIn } = open;
  requireHostedDomain(signIn, proof.profile);
  const provedAtMs = authenticatedAtMs(proof.claims, Date.now()) ?? 0;
  const address = isVerifiedAddress(signIn, proof) ? proof.profile.email : undefined;
  const { pointer, owner, claim } = await readTogether({
    pointer: at(providerLinkRecord, organization.slug, proof.person),
    owner: address === undefined ? undefined : at(emailRecord, address),
    claim: address === undefined ? undefined : at(domainRecord, domainOfEmail(address)),
  });
  let closed: Ties | undefined;
  if (pointer?.organizationId === organization.id) {
    const { user, ...ties } = await readCandidate(open, pointer.userId);
    if (user !== undefined && linkHolds({ pointer, ...ties }, user)) {
      return { ...linkedAccount(open, proof, pointer, { user, ...ties }), provedAtMs };
    }
    if (user === undefined) closed = { user, ...ties };
    else requireNeverRemoved(open, ties);
  }
  const { email, domain } = requireVerifiedDomain(signIn, proof);
  await requireProvedDomain(context, open, { domain, claim });
  if (owner !== undefined && !isFreeAddress(owner)) {
    // An earlier address is linked like the present one: the account has to prove itself first.
    const userId = owner.reservedFor ?? owner.userId;
    return { link: await linkTo(open, proof, { userId, domain, pointer, closed }) };
  }
  if (closed !== undefined) requireNeverRemoved(open, closed);
  // Only the provider vouches for the address, and that counts in its organization alone.
  const { user, writes } = newAccount({ email, name: proof.profile.name, passwordHash: noPassword });
  return {
    user,
    writes: [
      ...writes,
      ...newLink(user, targetOf(open, proof), { replaced: pointer, isUsed: true }),
      check(at(domainRecord, domain), { if: { organizationId: equals(organization.id) } }),
      countPlatform({ users: 1 }),
      ...(await counters()).flatMap(countOne),
    ],
    joins: { removed: undefined },
    provedAtMs,
  };
}

type Ties = Awaited<ReturnType<typeof readCandidate>>;
type Candidate = Ties & { user: UserRecord };

/** `user` is undefined if the account was closed. */
function readCandidate({ organization: { id, slug } }: OpenSignIn, userId: string) {
  return readTogether({
    user: at(userRecord, userId),
    link: at(accountLinkRecord, userId, id),
    member: at(memberRecord, slug, userId),
    removed: at(removedMemberRecord, slug, userId),
  });
}

function linkedAccount(
  open: OpenSignIn,
  proof: Proof,
  pointer: ProviderLinkRecord,
  { user, member, removed }: Candidate,
): Pick<Identified, 'user' | 'writes' | 'unremoved' | 'joins' | 'member'> {
  const isOlder = pointer.linkId === null;
  const writes = isOlder
    ? newLink(user, targetOf(open, proof), { replaced: pointer, isUsed: true })
    : [linkStillHolds(open, proof, user)];
  // The membership may end meanwhile. A link from before accounts had a side of it ends only with that note.
  const isAsRead = check(at(removedMemberRecord, open.organization.slug, user.id), {
    if: removed === undefined ? isNew : { organizationId: equals(removed.organizationId) },
  });
  // A removal that is in progress ends the membership, which every later request checks.
  const unremoved = member === undefined || isOlder ? [isAsRead] : [];
  return { user, writes, unremoved, ...(member === undefined ? { joins: { removed } } : { member }) };
}

/** The person may have been unlinked from the account, or the account recovered. */
function linkStillHolds({ organization }: OpenSignIn, { person }: Proof, user: UserRecord): Write {
  return usedLink(user, { organizationId: organization.id, person }, signInExpired);
}

function targetOf({ organization: { id, slug }, signIn: { issuer } }: OpenSignIn, { person }: Proof): LinkTarget {
  return { organizationId: id, orgSlug: slug, issuer, person };
}

/** @throws invitation_required for somebody whom a person removed, whatever their provider says */
function requireNeverRemoved(
  { organization }: OpenSignIn,
  { member, removed }: Pick<Ties, 'member' | 'removed'>,
): void {
  if (member === undefined && wasRemoved(removed, organization.id)) {
    throw new SignInRefused('invitation_required');
  }
}

interface LinkProposal {
  userId: string;
  domain: string;
  pointer: ProviderLinkRecord | undefined;
  /** What the organization has of the closed account that the person was linked to. */
  closed: Ties | undefined;
}

/** The link that the account's next log-in in this browser creates. @throws invitation_required */
async function linkTo(
  open: OpenSignIn,
  proof: Proof,
  { userId, domain, pointer, closed }: LinkProposal,
): Promise<Unlinked['link']> {
  const { user, member, removed } = await readCandidate(open, userId);
  if (user === undefined) throw new Error('The account of an address does not exist.');
  // Closing an account and registering again must not undo a removal.
  requireNeverRemoved(open, { member, removed: removed ?? closed?.removed });
  const { clientVersion } = open.signIn;
  const epoch = linkEpochOf(user);
  return { ...targetOf(open, proof), userId, domain, clientVersion, epoch, replacedLinkId: pointer?.linkId };
}

/** The provider’s clock may differ. */
const clockSkewMs = 60_000;

/**
 * When the person last authenticated at the provider, in epoch milliseconds; never in the future.
 * @returns undefined if the provider doesn't say; 0, which is never fresh, if it sends an invalid or a later time
 */
function authenticatedAtMs({ auth_time }: JWTPayload, nowMs: number): number | undefined {
  if (auth_time === undefined) return undefined;
  const isTime = typeof auth_time === 'number' && auth_time > 0 && auth_time * 1000 <= nowMs + clockSkewMs;
  return isTime ? Math.min(auth_time * 1000, nowMs) : 0;
}

/**
 * The address that a person may have at their first sign-in: the provider has verified it, or is trusted without saying
 * so, and the organization has verified its domain.
 * @throws email_missing, email_not_verified, domain_not_verified
 */
export function requireVerifiedDomain(
  signIn: Pick<SignInRecord, 'issuer' | 'domains' | 'trustEmail'>,
  proof: ProvenPerson,
): { email: string; domain: string } {
  requireHostedDomain(signIn, proof.profile);
  const { email, hostedDomain } = proof.profile;
  if (isShared(signIn) && !isVerified(signIn, hostedDomain)) throw new SignInRefused('domain_not_verified');
  if (email === undefined) throw new SignInRefused('email_missing');
  if (!isVerifiedAddress(signIn, proof)) throw new SignInRefused('email_not_verified');
  const domain = domainOfEmail(email);
  if (!isVerified(signIn, domain)) throw new SignInRefused('domain_not_verified');
  return { email, domain };
}

/** Whether the provider says that the address is verified, or doesn't say and is trusted without. */
function isVerifiedAddress(
  { issuer, trustEmail }: Pick<SignInRecord, 'issuer' | 'trustEmail'>,
  { profile: { emailVerified }, claims }: ProvenPerson,
): boolean {
  if (emailVerified !== 'unknown') return emailVerified === 'yes';
  if (trustEmail !== true || isSharedIssuer(issuer)) return false;
  const tenant = entraTenantOf(issuer);
  return tenant === undefined || tenant === claims.tid;
}

/**
 * A personal account at an issuer that many companies share may have an address of the company, and its owner keeps it
 * when they leave. @throws domain_not_verified
 */
function requireHostedDomain(
  signIn: Pick<SignInRecord, 'issuer' | 'domains'>,
  { hostedDomain }: Pick<Profile, 'hostedDomain'>,
): void {
  // Without its record, a domain admits no new people, but those who are linked must not be locked out.
  const isListed = signIn.domains.some(({ domain }) => domain === hostedDomain);
  if (isShared(signIn) && !isListed) throw new SignInRefused('domain_not_verified');
}

/** Google's issuer serves all companies and personal accounts alike. */
const isShared = ({ issuer }: Pick<SignInRecord, 'issuer'>) => issuer === 'https://accounts.google.com';

function isVerified({ domains }: Pick<SignInRecord, 'domains'>, domain: string | undefined): boolean {
  return domains.some(own => own.domain === domain && own.verifiedAt !== null);
}
