import type { RequestContext } from '../access/request-context.ts';
import type { findSignInMethods as contract } from '../contracts/auth/find-sign-in-methods.ts';
import type { AnswerOf } from '../contracts/contract.ts';
import { count } from '../limits/count.ts';
import { networkOf } from '../limits/network.ts';
import { signInLookups } from '../limits/rate-limits.ts';
import { at, find, readTogether } from '../table/read.ts';
import { organizationRecord } from '../table/records/organization.ts';
import { domainRecord, signInRecord } from '../table/records/sign-in.ts';
import { domainOfEmail } from './domain-of-email.ts';
import { ownSignIn } from './read-sign-in.ts';

/**
 * How an address can sign in. Looks only at its domain, so it can't tell whether there is an account.
 * @throws rate_limited
 */
export async function findSignInMethods({ source }: RequestContext, email: string): Promise<AnswerOf<typeof contract>> {
  const [claim] = await Promise.all([
    find(at(domainRecord, domainOfEmail(email))),
    count(signInLookups(networkOf(source.ip))),
  ]);
  const provided = claim && (await readTogether(providerReads(claim.orgSlug)));
  const organization = provided?.organization;
  const hasProvider =
    claim !== undefined &&
    organization?.id === claim.organizationId &&
    organization.status === 'active' &&
    ownSignIn(provided?.signIn, claim.organizationId) !== undefined;
  if (!hasProvider) return { methods: ['password', 'passkey'] };
  const { slug, name } = organization;
  return { methods: ['password', 'passkey', 'provider'], organization: { slug, name } };
}

/** An organization and its provider. */
export function providerReads(orgSlug: string) {
  return { organization: at(organizationRecord, orgSlug), signIn: at(signInRecord, orgSlug) };
}
