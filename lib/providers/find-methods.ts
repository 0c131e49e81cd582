import type { RequestContext } from '../access/request-context.ts';
import type { findSignInMethods as contract } from '../contracts/auth/find-sign-in-methods.ts';
import type { AnswerOf } from '../contracts/contract.ts';
import { temporarilyUnavailable } from '../core/errors.ts';
import { count } from '../limits/count.ts';
import { networkOf } from '../limits/network.ts';
import { signInLookups } from '../limits/rate-limits.ts';
import { at, find, readTogether } from '../table/read.ts';
import { domainRecord } from '../table/records/sign-in.ts';
import { domainOfEmail } from './profile.ts';
import { proveDomain } from './prove-domain.ts';
import { ownSignIn, providerReads } from './sign-in.ts';

/**
 * How an address can sign in. Looks only at its domain, so it can't tell whether there is an account.
 * @throws rate_limited; temporarily_unavailable while another request looks the domain up
 */
export async function findSignInMethods(context: RequestContext, email: string): Promise<AnswerOf<typeof contract>> {
  const domain = domainOfEmail(email);
  const [claim] = await Promise.all([
    find(at(domainRecord, domain)),
    count(signInLookups(networkOf(context.source.ip))),
  ]);
  const provided = claim && (await readTogether(providerReads(claim.orgSlug)));
  const organization = provided?.organization;
  const signIn = claim && ownSignIn(provided?.signIn, claim.organizationId);
  const withoutProvider: AnswerOf<typeof contract> = { methods: ['password', 'passkey'] };
  if (signIn === undefined || organization?.id !== claim?.organizationId || organization?.status !== 'active') {
    return withoutProvider;
  }
  const state = await proveDomain(context, { organization, signIn }, { domain, claim });
  if (state === 'being looked up') {
    throw temporarilyUnavailable('The domain is being looked up right now. Send the request again.', undefined, {
      isExpected: true,
    });
  }
  if (state === 'unproved') return withoutProvider;
  const { slug, name } = organization;
  return { methods: ['password', 'passkey', 'provider'], organization: { slug, name } };
}
