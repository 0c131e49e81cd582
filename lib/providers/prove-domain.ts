import { randomUUID } from 'node:crypto';
import type { RequestContext } from '../access/request-context.ts';
import { auditWrite, systemActor } from '../audit/write.ts';
import { dayMs, hourMs, minuteMs } from '../core/time.ts';
import { lookUpRecords } from '../outbound/ask-worker.ts';
import { asRead, equals } from '../table/expressions.ts';
import { at } from '../table/read.ts';
import type { OrganizationRecord } from '../table/records/organization.ts';
import { type DomainRecord, domainRecord, type SignInRecord, signInRecord } from '../table/records/sign-in.ts';
import { nobody } from '../table/records/user.ts';
import { retryWithFreshRead, transact, transactIfHolds, update } from '../table/write.ts';
import { SignInRefused } from './log-in-page.ts';
import { findSignIn, signInTarget, txtRecordOf } from './provider.ts';

/*
 * A domain stays verified only while its TXT record exists: somebody who controlled the domain for a moment must not
 * keep it. Before a first sign-in, a new link, or the answer how an address signs in, the last proof is at most a day
 * old.
 */

/** A pending link is used up to ten minutes after the proof. */
const longestProofMs = dayMs - 10 * minuteMs;
/** From then on, one request proves the domain again while the others still rely on the last proof. */
const recentProofMs = 12 * hourMs;
const longestOutageMs = 7 * dayMs;
/** At most one look-up a minute for a domain. */
const pauseMs = minuteMs;
/** No look-up takes longer. */
const longestLookUpMs = 12 * 1000;

interface Holder {
  organization: OrganizationRecord;
  signIn: SignInRecord;
}

interface Claimed {
  domain: string;
  claim: DomainRecord | undefined;
}

/** @throws domain_not_verified; temporarily_unavailable while another request looks the domain up */
export async function requireProvedDomain(context: RequestContext, holder: Holder, claimed: Claimed): Promise<void> {
  const state = await proveDomain(context, holder, claimed);
  if (state === 'proved') return;
  throw new SignInRefused(state === 'unproved' ? 'domain_not_verified' : 'temporarily_unavailable');
}

/**
 * Whether the organization still controls the domain. If the last proof is too old, its record is looked up. A domain
 * without its record is released. During an outage of its name servers, the last proof stays valid for seven days.
 */
export async function proveDomain(
  context: RequestContext,
  holder: Holder,
  { domain, claim }: Claimed,
): Promise<'proved' | 'unproved' | 'being looked up'> {
  const { organization, signIn } = holder;
  const token = signIn.domains.find(own => own.domain === domain && own.verifiedAt !== null)?.token;
  if (claim?.organizationId !== organization.id || token === undefined) return 'unproved';
  const now = Date.now();
  const ageMs = ageOf(claim.verifiedAt, now);
  if (ageMs < recentProofMs) return 'proved';
  const afterOutage = ageMs < longestOutageMs ? 'proved' : 'unproved';
  const hasAnswer = (claim.answeredAt ?? '') >= (claim.lookedUpAt ?? '');
  if (hasAnswer && ageOf(claim.answeredAt, now) < pauseMs) return afterOutage;
  const isLookedUp = !hasAnswer && ageOf(claim.lookedUpAt, now) < longestLookUpMs;
  const lookedUpAt = new Date(now).toISOString();
  if (isLookedUp || !(await startLookUp(domain, claim, lookedUpAt))) {
    return ageMs < longestProofMs ? 'proved' : 'being looked up';
  }
  const records = await lookUpRecords(domain).catch(error => {
    context.log.error('could not look up a domain', error, { organizationId: organization.id });
    return undefined;
  });
  if (records !== undefined && !records.includes(txtRecordOf({ token }))) {
    await releaseDomain(context, holder, domain, lookedUpAt);
    return 'unproved';
  }
  const answeredAt = new Date().toISOString();
  const set = records === undefined ? { answeredAt } : { answeredAt, verifiedAt: answeredAt };
  const isOwn = { organizationId: equals(organization.id), lookedUpAt: equals(lookedUpAt) };
  if (!(await transactIfHolds([update(at(domainRecord, domain), { set }, { if: isOwn })]))) return 'unproved';
  return records === undefined ? afterOutage : 'proved';
}

const ageOf = (time: string | undefined, nowMs: number): number =>
  time === undefined ? Number.POSITIVE_INFINITY : nowMs - Date.parse(time);

/** @returns whether no other request has started a look-up since the claim was read */
function startLookUp(domain: string, claim: DomainRecord, lookedUpAt: string): Promise<boolean> {
  const unchanged = asRead(claim, ['organizationId', 'lookedUpAt']);
  return transactIfHolds([update(at(domainRecord, domain), { set: { lookedUpAt } }, { if: unchanged })]);
}

/** Releases the domain. Its owners see that in the settings and in the audit log, and can verify it again. */
async function releaseDomain(
  { source }: RequestContext,
  { organization, signIn: foreseen }: Holder,
  domain: string,
  lookedUpAt: string,
): Promise<void> {
  const readAgain = () => findSignIn(organization);
  const isOwn = { organizationId: equals(organization.id), lookedUpAt: equals(lookedUpAt) };
  const released = { organizationId: nobody, lostBy: organization.id };
  const refused = () => new Superseded();
  const release = update(at(domainRecord, domain), { set: released }, { if: isOwn, refused });
  await retryWithFreshRead<SignInRecord | undefined, void>(foreseen, readAgain, async signIn => {
    if (signIn === undefined) return;
    const details = { domain, verified: { from: true, to: false } };
    const facts = { action: 'sign_in.configured', target: signInTarget(signIn), details } as const;
    const entry = await auditWrite(organization, systemActor, source, facts);
    await transact([release, unverified(organization.slug, signIn, domain), entry]);
  }).catch(error => {
    if (!(error instanceof Superseded)) throw error;
  });
}

/** The domain was verified, freed or taken over since its look-up started. */
class Superseded extends Error {}

export function unverified(orgSlug: string, { version, domains }: SignInRecord, domain: string) {
  const unverifiedDomains = domains.map(own => (own.domain === domain ? { ...own, verifiedAt: null } : own));
  const set = { domains: unverifiedDomains, version: randomUUID() };
  return update(at(signInRecord, orgSlug), { set }, { if: { version: equals(version) } });
}

/** The domain of an address, as domains are stored. */
export function domainOfEmail(email: string): string {
  return email.slice(email.lastIndexOf('@') + 1).toLowerCase();
}
