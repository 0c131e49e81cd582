import { randomBytes } from 'node:crypto';
import type { AccountPrincipal } from '../access/principal.ts';
import type { RequestContext } from '../access/request-context.ts';
import type { startProviderSignIn as contract, findSignInMethods as methods } from '../contracts/auth/providers.ts';
import type { AnswerOf, QueryOf } from '../contracts/contract.ts';
import { temporarilyUnavailable } from '../core/errors.ts';
import { epochSeconds } from '../core/time.ts';
import { hashCredential } from '../crypto/credentials.ts';
import { count, countOne, countRead, refuseEarly } from '../limits/count.ts';
import { networkOf } from '../limits/network.ts';
import { signInLookups, startedSignIns } from '../limits/rate-limits.ts';
import { isNew } from '../table/expressions.ts';
import { at, find, readTogether } from '../table/read.ts';
import { issuerKeysRecord } from '../table/records/identity.ts';
import { memberRecord } from '../table/records/organization.ts';
import { domainRecord, startedSignInRecord } from '../table/records/sign-in.ts';
import { put, retryOnConditionFailed, transact } from '../table/write.ts';
import { browserCookie, codeChallengeOf, nonceOf, redirectUri, startedSeconds, verifierOf } from './browser.ts';
import { logInPage, type Redirect, SignInRefused } from './log-in-page.ts';
import { domainOfEmail, proveDomain } from './prove-domain.ts';
import { ownSignIn, providerReads, readProvider } from './provider.ts';

type SignInContext = RequestContext & { readonly principal: AccountPrincipal | undefined };
type Requested = QueryOf<typeof contract> & { orgSlug: string };

/** Sends the browser to the organization's provider, or to the log-in page with the reason why not. Never throws. */
export async function startSignIn(context: SignInContext, requested: Requested): Promise<Redirect> {
  return logInPage(context, () => start(context, requested));
}

async function start(context: SignInContext, { orgSlug, to = '/', stepUp, test }: Requested): Promise<Redirect> {
  const { fetchSite = 'none' } = context.source;
  // Another site could otherwise sign its visitors in to an account of its own (log-in CSRF).
  if (!['none', 'same-origin'].includes(fetchSite)) throw new SignInRefused('start_here');
  const starts = startedSignIns(orgSlug, networkOf(context.source.ip));
  const stored = await readTogether({ ...providerReads(orgSlug), counted: countRead(starts) });
  refuseEarly(starts, stored.counted);
  const { organization } = stored;
  const signIn = organization?.status === 'active' ? ownSignIn(stored.signIn, organization.id) : undefined;
  if (organization === undefined || signIn === undefined) throw new SignInRefused('provider_not_configured');
  const purpose = stepUp === true ? 'step-up' : test === true ? 'test' : 'sign-in';
  const sessionHash = purpose === 'sign-in' ? undefined : await requireSession(context, purpose, organization);
  const { issuer, clientId, clientVersion } = signIn;
  const issuerKeys = await find(at(issuerKeysRecord, issuer));
  const { endpoints } = await readProvider(context, { issuer, orgSlug, stored: issuerKeys });
  const [state, secret] = [randomSecret(), randomSecret()];
  const now = Date.now();
  const client = { organizationId: organization.id, orgSlug, clientVersion, issuer };
  const times = { startedAtMs: now, expiresAt: epochSeconds(now) + startedSeconds };
  const started = { purpose, browser: hashCredential(secret), ...client, to, sessionHash, ...times } as const;
  const write = put(at(startedSignInRecord, hashCredential(state)), started, { if: isNew });
  await retryOnConditionFailed(() => transact([...countOne(starts), write]));
  const location = new URL(endpoints.authorization);
  const parameters = {
    response_type: 'code',
    scope: 'openid email profile',
    client_id: clientId,
    redirect_uri: await redirectUri(orgSlug),
    state,
    nonce: nonceOf(secret, state),
    code_challenge: codeChallengeOf(verifierOf(secret, state)),
    code_challenge_method: 'S256',
    // A fresh sign-in, even if its user is signed in at the provider.
    ...(purpose === 'step-up' ? { max_age: '0' } : {}),
  };
  for (const [name, value] of Object.entries(parameters)) location.searchParams.set(name, value);
  return { location: location.href, cookies: [browserCookie(orgSlug, secret)] };
}

const randomSecret = () => randomBytes(32).toString('base64url');

/**
 * The hash of the caller's session: for a step-up, one that came through this provider; for a test, an owner's.
 * @throws session_required
 */
async function requireSession(
  { principal }: SignInContext,
  purpose: 'step-up' | 'test',
  { id, slug }: { id: string; slug: string },
): Promise<string> {
  if (principal?.credential.method === 'session') {
    const { credential, userId } = principal;
    const mayStart =
      purpose === 'step-up'
        ? credential.session.provider?.organizationId === id
        : (await find(at(memberRecord, slug, userId)))?.role === 'owner';
    if (mayStart) return credential.hash;
  }
  throw new SignInRefused('session_required');
}

/**
 * How an address can sign in. Looks only at its domain, so the response doesn't reveal whether there is an account.
 * @throws rate_limited; temporarily_unavailable while another request looks the domain up
 */
export async function findSignInMethods(context: RequestContext, email: string): Promise<AnswerOf<typeof methods>> {
  const domain = domainOfEmail(email);
  const counting = count(signInLookups(networkOf(context.source.ip)));
  const [claim] = await Promise.all([find(at(domainRecord, domain)), counting]);
  const withoutProvider: AnswerOf<typeof methods> = { methods: ['password', 'passkey'] };
  if (claim === undefined) return withoutProvider;
  const { organization, signIn: storedSignIn } = await readTogether(providerReads(claim.orgSlug));
  const signIn = ownSignIn(storedSignIn, claim.organizationId);
  if (signIn === undefined || organization?.id !== claim.organizationId || organization.status !== 'active') {
    return withoutProvider;
  }
  const state = await proveDomain(context, { organization, signIn }, { domain, claim });
  if (state === 'being looked up') {
    const message = 'The domain is being looked up right now. Send the request again.';
    throw temporarilyUnavailable(message, undefined, { isExpected: true });
  }
  if (state === 'unproved') return withoutProvider;
  const { slug, name } = organization;
  return { methods: ['password', 'passkey', 'provider'], organization: { slug, name } };
}
