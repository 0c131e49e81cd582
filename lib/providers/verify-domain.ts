import { randomUUID } from 'node:crypto';
import type { MemberContext } from '../access/request-context.ts';
import { requireVerifiedMember } from '../access/verified-email.ts';
import { ApiError, invalidRequest, organizationNotFound, temporarilyUnavailable } from '../core/errors.ts';
import { invokeFunction } from '../core/invoke-function.ts';
import { requiredSetting } from '../core/settings.ts';
import { count, refuseEarly, toRead } from '../limits/count.ts';
import { domainLookups } from '../limits/rate-limits.ts';
import { equals, isNew } from '../table/expressions.ts';
import { at, readTogether } from '../table/read.ts';
import { organizationRecord } from '../table/records/organization.ts';
import type { RateRecord } from '../table/records/rate.ts';
import { domainRecord, type SignInRecord, signInRecord } from '../table/records/sign-in.ts';
import { check, put, retryWithFreshRead, transact, update } from '../table/write.ts';
import { findSignIn, foreseeSignIn } from './read-sign-in.ts';
import { signInTarget, txtRecordOf } from './sign-in-view.ts';

interface BeforeVerifying {
  signIn: SignInRecord | undefined;
  /** The look-ups so far. */
  counted: RateRecord | undefined;
}

/** Two round trips, in parallel with authentication. @throws organization_not_found */
export async function readBeforeVerifying(organizationId: string): Promise<BeforeVerifying> {
  const [signIn, { counted }] = await Promise.all([
    foreseeSignIn(organizationId),
    readTogether({ counted: toRead(domainLookups(organizationId)) }),
  ]);
  return { signIn, counted };
}

/**
 * Verifies one of the provider's domains by its TXT record. A verified one stays so without another look-up.
 * @throws invalid_request for a domain that the provider does not have; email_not_verified, rate_limited,
 * domain_not_verified, domain_taken
 */
export async function verifyDomain(
  context: MemberContext,
  domain: string,
  { signIn: known, counted }: BeforeVerifying,
): Promise<SignInRecord> {
  const { organization } = context;
  requireVerifiedMember(context);
  const wanted = domainOf(known, domain);
  if (wanted.verifiedAt !== null && known !== undefined) return known;
  const lookups = domainLookups(organization.id);
  refuseEarly(lookups, counted);
  const [isThere] = await Promise.all([hasRecord(domain, txtRecordOf(wanted)), count(lookups)]);
  if (!isThere) {
    throw new ApiError('domain_not_verified', `The domain has no such TXT record yet: ${txtRecordOf(wanted)}`);
  }
  return retryWithFreshRead(
    known,
    () => findSignIn(organization),
    async before => {
      const current = domainOf(before, domain);
      // It was dropped and added again, so its record is another one.
      if (before === undefined || current.token !== wanted.token) throw unknownDomain();
      const verifiedAt = new Date().toISOString();
      const domains = before.domains.map(one => (one === current ? { ...one, verifiedAt } : one));
      const after = { ...before, domains, version: randomUUID(), updatedAt: verifiedAt };
      await transact([
        update(
          at(signInRecord, organization.slug),
          { set: { domains, version: after.version, updatedAt: verifiedAt } },
          { if: { version: equals(before.version) } },
        ),
        put(
          at(domainRecord, domain),
          { organizationId: organization.id, orgSlug: organization.slug, verifiedAt },
          { if: [isNew, { organizationId: equals(organization.id) }], refused: domainTaken },
        ),
        check(at(organizationRecord, organization.slug), {
          if: { id: equals(organization.id), status: equals('active') },
          refused: () => organizationNotFound(),
        }),
        await context.audit({
          action: 'sign_in.domain_verified',
          target: signInTarget(before),
          details: { domain },
        }),
      ]);
      return after;
    },
  );
}

function domainOf(signIn: SignInRecord | undefined, domain: string): SignInRecord['domains'][number] {
  const found = signIn?.domains.find(one => one.domain === domain);
  if (found === undefined) throw unknownDomain();
  return found;
}

const unknownDomain = () =>
  invalidRequest([{ path: 'domain', message: 'is not one of the sign-in provider’s domains' }]);

const domainTaken = () => new ApiError('domain_taken', 'This domain is verified for another organization.');

/** Looked up by the one function that may talk to customers' hosts. */
async function hasRecord(domain: string, record: string): Promise<boolean> {
  try {
    const answer = await invokeFunction({
      functionName: requiredSetting('ISSUER_KEYS_FUNCTION'),
      event: { domain },
      timeoutMs: 10_000,
      maximumAnswerBytes: 400 * 1024,
    });
    const { records } = (answer ?? {}) as { records?: unknown };
    return Array.isArray(records) && records.includes(record);
  } catch (error) {
    throw temporarilyUnavailable('The domain could not be looked up right now. Send the request again.', error);
  }
}
