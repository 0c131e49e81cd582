import { randomUUID } from 'node:crypto';
import type { MemberContext } from '../access/request-context.ts';
import { requireVerifiedMember } from '../access/verified-email.ts';
import { ApiError, invalidRequest, organizationNotFound, temporarilyUnavailable } from '../core/errors.ts';
import { count, countRead, refuseEarly } from '../limits/count.ts';
import { domainLookups } from '../limits/rate-limits.ts';
import { domainTakenMail } from '../mail/account-mails.ts';
import { sendMail } from '../mail/send-mail.ts';
import { listOwners } from '../organizations/break-glass.ts';
import { stillActive } from '../organizations/change-counts.ts';
import { requirePlace } from '../organizations/members/read-roster.ts';
import { lookUpRecords } from '../outbound/ask-worker.ts';
import { asRead, equals, isNew } from '../table/expressions.ts';
import { at, find, readTogether } from '../table/read.ts';
import { organizationRecord } from '../table/records/organization.ts';
import { type DomainRecord, domainRecord, type SignInRecord, signInRecord } from '../table/records/sign-in.ts';
import { put, retryWithFreshRead, transact, update } from '../table/write.ts';
import { unverified } from './prove-domain.ts';
import { findSignIn, ownSignIn, providerReads, signInTarget, txtRecordOf } from './provider.ts';

/** Two round trips, in parallel with authentication. @throws organization_not_found */
export async function readBeforeVerifying(organizationId: string) {
  const [signIn, { counted }] = await Promise.all([
    requirePlace(organizationId).then(findSignIn),
    readTogether({ counted: countRead(domainLookups(organizationId)) }),
  ]);
  return { signIn, counted };
}

/**
 * Verifies one of the provider's domains by its TXT record, unless it is verified already. A domain of another
 * organization is taken over if that organization's record no longer exists, and its owners are notified.
 * @throws invalid_request for an unknown domain; email_not_verified, rate_limited, domain_not_verified, domain_taken
 */
export async function verifyDomain(
  context: MemberContext,
  domain: string,
  { signIn: foreseen, counted }: Awaited<ReturnType<typeof readBeforeVerifying>>,
): Promise<SignInRecord> {
  const { organization } = context;
  requireVerifiedMember(context);
  const requested = domainOf(foreseen, domain);
  if (requested.verifiedAt !== null && foreseen !== undefined) return foreseen;
  const lookups = domainLookups(organization.id);
  refuseEarly(lookups, counted);
  const readClaim = () => find(at(domainRecord, domain));
  const [records, claim] = await Promise.all([recordsOf(domain), readClaim(), count(lookups)]);
  if (!records.includes(txtRecordOf(requested))) {
    const message = `The domain does not have this TXT record yet: ${txtRecordOf(requested)}`;
    throw new ApiError('domain_not_verified', message);
  }
  const readAgain = async () => ({ stored: await findSignIn(organization), claim: await readClaim() });
  const { after, former } = await retryWithFreshRead({ stored: foreseen, claim }, readAgain, async current => {
    const signIn = current.stored;
    const unverifiedDomain = domainOf(signIn, domain);
    // The domain was removed and added again, so it needs another record.
    if (signIn === undefined || unverifiedDomain.token !== requested.token) throw unknownDomain();
    const holder = await readHolder(domain, current.claim, organization.id);
    if (holder?.token !== undefined && records.includes(txtRecordOf({ token: holder.token }))) {
      throw new ApiError('domain_taken', 'This domain is verified for another organization.');
    }
    const { id: organizationId, slug: orgSlug } = organization;
    const verifiedAt = new Date().toISOString();
    const domains = signIn.domains.map(own => (own === unverifiedDomain ? { ...own, verifiedAt } : own));
    const set = { domains, version: randomUUID(), updatedAt: verifiedAt };
    const claimAsRead = current.claim === undefined ? isNew : asRead(current.claim, ['organizationId', 'verifiedAt']);
    await transact([
      update(at(signInRecord, orgSlug), { set }, { if: { version: equals(signIn.version) } }),
      put(at(domainRecord, domain), { organizationId, orgSlug, verifiedAt }, { if: claimAsRead }),
      ...(holder?.signIn === undefined ? [] : [unverified(holder.orgSlug, holder.signIn, domain)]),
      stillActive(organization, () => organizationNotFound()),
      await context.audit({ action: 'sign_in.domain_verified', target: signInTarget(signIn), details: { domain } }),
    ]);
    return { after: { ...signIn, ...set }, former: holder };
  });
  if (former !== undefined) await mailFormerOwners(context, former, domain);
  return after;
}

/** The other organization that the domain is verified for, or was; its settings, if they still show that. */
async function readHolder(domain: string, claim: DomainRecord | undefined, organizationId: string) {
  if (claim === undefined) return undefined;
  const { orgSlug, lostBy = claim.organizationId } = claim;
  if ([claim.organizationId, lostBy].includes(organizationId)) return undefined;
  const { organization, signIn } = await readTogether(providerReads(orgSlug));
  // Erased, by a version that did not know domains.
  if (organization?.id !== lostBy) return undefined;
  const owned = ownSignIn(signIn, lostBy);
  const held = owned?.domains.find(own => own.domain === domain && own.verifiedAt !== null);
  return { organizationId: lostBy, orgSlug, signIn: held && owned, token: held?.token };
}

type Holder = NonNullable<Awaited<ReturnType<typeof readHolder>>>;

async function mailFormerOwners({ log }: MemberContext, { organizationId, orgSlug }: Holder, domain: string) {
  try {
    const organization = await find(at(organizationRecord, orgSlug));
    if (organization?.id !== organizationId) return;
    const [mail, owners] = await Promise.all([domainTakenMail(organization, domain), listOwners(organization)]);
    await Promise.all(owners.map(({ email }) => sendMail(email, mail)));
  } catch (error) {
    log.error('could not notify the owners that another organization verified their domain', error, { organizationId });
  }
}

function domainOf(signIn: SignInRecord | undefined, domain: string): SignInRecord['domains'][number] {
  const listed = signIn?.domains.find(own => own.domain === domain);
  if (listed === undefined) throw unknownDomain();
  return listed;
}

const unknownDomain = () =>
  invalidRequest([{ path: 'domain', message: 'is not one of the sign-in provider’s domains' }]);

async function recordsOf(domain: string): Promise<readonly unknown[]> {
  try {
    return (await lookUpRecords(domain)) ?? [];
  } catch (error) {
    throw temporarilyUnavailable('The domain could not be looked up right now. Send the request again.', error);
  }
}
