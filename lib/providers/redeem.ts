import { createLocalJWKSet, errors, type JWK, type JWTPayload, jwtVerify } from 'jose';
import type { AccountPrincipal } from '../access/principal.ts';
import type { RequestContext } from '../access/request-context.ts';
import type { completeProviderSignIn as contract } from '../contracts/auth/providers.ts';
import type { QueryOf } from '../contracts/contract.ts';
import { clockSkewSeconds } from '../contracts/fields/identity-limits.ts';
import { Email, Name } from '../contracts/fields/text.ts';
import { isOver } from '../core/time.ts';
import { equalInConstantTime, hashCredential } from '../crypto/credentials.ts';
import { signatureAlgorithms } from '../identities/verify-assertion.ts';
import { countOne } from '../limits/count.ts';
import { networkOf } from '../limits/network.ts';
import { completedSignIns } from '../limits/rate-limits.ts';
import { providerAnswer } from '../outbound/ask-worker.ts';
import { isThere } from '../table/expressions.ts';
import { at, find, readTogether } from '../table/read.ts';
import { issuerKeysRecord, type VerificationKey } from '../table/records/identity.ts';
import type { OrganizationRecord } from '../table/records/organization.ts';
import {
  personOf,
  type SignInRecord,
  type StartedSignInRecord,
  startedSignInRecord,
} from '../table/records/sign-in.ts';
import { remove, retryOnConditionFailed, transact } from '../table/write.ts';
import { isRandom, nonceOf, redirectUri, verifierOf } from './browser.ts';
import { SignInRefused, signInExpired } from './log-in-page.ts';
import { openClientSecret, ownSignIn, type Provider, providerReads, readProvider } from './provider.ts';

export type CallbackContext = RequestContext & { readonly principal: AccountPrincipal | undefined };

/** What the provider sent, and the organization whose callback it was sent to. */
export type Returned = QueryOf<typeof contract> & { orgSlug: string };

/** A sign-in in this browser whose organization and provider are still the same. It is used up already. */
export interface OpenSignIn {
  started: StartedSignInRecord;
  organization: OrganizationRecord;
  signIn: SignInRecord;
}

/** What a provider says about a person and their log-in there. */
export interface Profile {
  /** Only if it is an address. */
  email: string | undefined;
  /**
   * `yes` is exactly the boolean `true`: some providers send a string for an address that they have not verified.
   * Others never say, and the organization may trust them all the same (`trustEmail`).
   */
  emailVerified: 'yes' | 'no' | 'unknown';
  name: string | undefined;
  /** The Google Workspace domain that manages the account; a personal account has none. */
  hostedDomain: string | undefined;
}

/** A person, as the provider has signed it. */
export interface ProvenPerson {
  claims: JWTPayload & { sub: string };
  profile: Profile;
}

/** The same, in terms of the organization. */
export interface Proof extends ProvenPerson {
  person: string;
  /** Whether the provider asked for a second factor, and the organization trusts it with that. */
  trustedFactor: boolean;
}

/** An answer that the provider signed and that is still refused, so it is recorded for the owners. */
export class SignedAnswerRefused extends SignInRefused {}

const invalidAnswer = () => new SignInRefused('invalid_answer');

/**
 * Uses up the sign-in that the browser returns from, in three round trips. They also read what `redeem` needs.
 * @throws rate_limited; sign_in_expired if it is unknown, used, too old, another browser's or another organization's,
 * or its provider has changed since
 */
export async function openSignIn({ source }: RequestContext, { orgSlug, state }: Returned, secret: string | undefined) {
  if (!isRandom(state) || !isRandom(secret)) throw signInExpired();
  const item = at(startedSignInRecord, hashCredential(state));
  const started = await find(item);
  // Another organization's provider may have sent the browser here with its own state.
  if (started?.orgSlug !== orgSlug || isOver(started.expiresAt)) throw signInExpired();
  if (!equalInConstantTime(hashCredential(secret), started.browser)) throw signInExpired();
  const reads = { ...providerReads(orgSlug), issuerKeys: at(issuerKeysRecord, started.issuer) };
  const { organization, signIn, issuerKeys } = await readTogether(reads);
  const current = ownSignIn(signIn, started.organizationId);
  if (organization?.id !== started.organizationId || organization.status !== 'active') throw signInExpired();
  if (current?.clientVersion !== started.clientVersion) throw signInExpired();
  // However it ends, this is the only attempt: of several callbacks at once, only one asks the provider.
  const completed = completedSignIns(organization.id, networkOf(source.ip));
  const claim = retryOnConditionFailed(() =>
    transact([remove(item, { if: isThere, refused: signInExpired }), ...countOne(completed)]),
  );
  const [clientSecret] = await Promise.all([openClientSecret(current), claim]);
  return { open: { started, organization, signIn: current }, state, secret, issuerKeys, clientSecret };
}

/**
 * Exchanges the code for an id token, and verifies it. An address that it does not have is read from userinfo.
 * @throws provider_refused, provider_unavailable, issuer_unavailable, invalid_answer, rate_limited
 */
export async function redeem(
  context: RequestContext,
  { open: { organization, signIn }, state, secret, issuerKeys, clientSecret }: Awaited<ReturnType<typeof openSignIn>>,
  { code, iss, error }: Returned,
): Promise<Proof> {
  const { slug: orgSlug } = organization;
  const { issuer, clientId } = signIn;
  const provider = await readProvider(context, { issuer, orgSlug, stored: issuerKeys });
  const { endpoints } = provider;
  // RFC 9207: with two providers, one must not be able to pass on the other's response.
  if (iss === undefined ? endpoints.sendsIssuer : iss !== issuer) throw invalidAnswer();
  if (error !== undefined || code === undefined || code === '') throw new SignInRefused('provider_refused');
  const grant = {
    grant_type: 'authorization_code',
    code,
    redirect_uri: await redirectUri(orgSlug),
    code_verifier: verifierOf(secret, state),
  };
  const authenticated = clientAuthentication(provider, clientId, clientSecret, grant);
  const answer = await providerAnswer({ target: endpoints.token, ...authenticated }, context.log);
  if (answer === undefined) throw new SignInRefused('provider_unavailable');
  const expected = { issuer, clientId, nonce: nonceOf(secret, state) };
  const verify = (keys: readonly VerificationKey[]) => verifyIdToken(answer.id_token, expected, keys);
  // The provider may have changed its keys since they were stored.
  const claims = (await verify(provider.keys)) ?? (await verify(await provider.renewKeys()));
  if (claims === undefined) throw invalidAnswer();
  const signed = profileOf(claims);
  const profile =
    claims.email === undefined ? await readUserinfo(context, provider, { claims, profile: signed }, answer) : signed;
  const trustedFactor = signIn.trustFactor && reportsSecondFactor(claims);
  return { claims, profile, person: personOf(issuer, claims.sub), trustedFactor };
}

/** How the client proves itself (OpenID Connect Core 1.0, section 9; RFC 6749, section 2.3.1). */
function clientAuthentication(
  { endpoints: { clientAuthentication: method } }: Pick<Provider, 'endpoints'>,
  clientId: string,
  clientSecret: string | undefined,
  form: Readonly<Record<string, string>>,
): { form: Record<string, string>; authorization?: string } {
  // A public client only has PKCE.
  if (clientSecret === undefined) return { form: { ...form, client_id: clientId } };
  if (method === 'client_secret_post') return { form: { ...form, client_id: clientId, client_secret: clientSecret } };
  const formEncoded = (text: string) => new URLSearchParams({ text }).toString().slice('text='.length);
  const credentials = `${formEncoded(clientId)}:${formEncoded(clientSecret)}`;
  return { form: { ...form }, authorization: `Basic ${Buffer.from(credentials, 'utf8').toString('base64')}` };
}

/**
 * The claims of an id token (OpenID Connect Core 1.0, section 3.1.3.7) after checking signature, issuer, audience,
 * authorized party, times, nonce and subject. Only the given keys count, whatever the header says about others.
 * @returns undefined if the header names none of the keys
 * @throws invalid_answer, as `SignedAnswerRefused` if the provider signed the token
 */
async function verifyIdToken(
  idToken: unknown,
  { issuer, clientId, nonce }: { issuer: string; clientId: string; nonce: string },
  keys: readonly VerificationKey[],
): Promise<ProvenPerson['claims'] | undefined> {
  if (typeof idToken !== 'string' || idToken.length > 50_000) throw invalidAnswer();
  let claims: JWTPayload;
  try {
    ({ payload: claims } = await jwtVerify(idToken, createLocalJWKSet({ keys: keys as JWK[] }), {
      algorithms: signatureAlgorithms,
      issuer,
      audience: clientId,
      clockTolerance: clockSkewSeconds,
      requiredClaims: ['exp', 'iat', 'sub', 'nonce'],
    }));
  } catch (error) {
    if (error instanceof errors.JWKSNoMatchingKey) return undefined;
    // Claims are only checked after the signature.
    const isSigned = error instanceof errors.JWTClaimValidationFailed || error instanceof errors.JWTExpired;
    throw isSigned ? new SignedAnswerRefused('invalid_answer') : invalidAnswer();
  }
  const { sub = '', iat = Number.POSITIVE_INFINITY } = claims;
  // At most 255 characters (section 2), but some providers don't keep to that.
  const isSubject = typeof sub === 'string' && sub !== '' && sub.length <= 1000;
  const isAcceptable =
    isSubject &&
    iat <= Date.now() / 1000 + clockSkewSeconds &&
    isForClient(claims, clientId) &&
    typeof claims.nonce === 'string' &&
    equalInConstantTime(claims.nonce, nonce);
  if (!isAcceptable) throw new SignedAnswerRefused('invalid_answer');
  return { ...claims, sub };
}

/** With further audiences, the authorized party must be the client; if one is named, it always must be. */
function isForClient({ aud, azp }: JWTPayload, clientId: string): boolean {
  const hasOthers = Array.isArray(aud) && aud.some(audience => audience !== clientId);
  return azp === undefined ? !hasOthers : azp === clientId;
}

/**
 * The profile of a person whose id token has no address. Only a first sign-in needs one, so a userinfo endpoint that
 * doesn't respond is ignored. @throws invalid_answer if it is about another person (section 5.3.2)
 */
async function readUserinfo(
  { log }: RequestContext,
  { endpoints: { userinfo } }: Provider,
  { claims, profile: signed }: ProvenPerson,
  { access_token: accessToken }: Readonly<Record<string, unknown>>,
): Promise<Profile> {
  const isToken = typeof accessToken === 'string' && /^[\x21-\x7e]{1,50000}$/.test(accessToken);
  if (userinfo === undefined || !isToken) return signed;
  const answer = await providerAnswer({ target: userinfo, authorization: `Bearer ${accessToken}` }, log);
  if (answer === undefined) return signed;
  if (answer.sub !== claims.sub) throw new SignedAnswerRefused('invalid_answer');
  const profile = profileOf(answer);
  // An address that either of them denies is not verified.
  return signed.emailVerified === 'no' ? { ...profile, emailVerified: 'no' } : profile;
}

export function profileOf(claims: Readonly<Record<string, unknown>>): Profile {
  const email = Email.safeParse(claims.email);
  const name = Name.safeParse(claims.name);
  return {
    email: email.success ? email.data : undefined,
    emailVerified: claims.email_verified === undefined ? 'unknown' : claims.email_verified === true ? 'yes' : 'no',
    name: name.success ? name.data : undefined,
    hostedDomain: typeof claims.hd === 'string' ? claims.hd.toLowerCase() : undefined,
  };
}

/** The values of `acr` that mean more than one factor. */
const strongContexts = new Set([
  'phr',
  'phrh',
  'https://refeds.org/profile/mfa',
  'http://schemas.openid.net/pape/policies/2007/06/multi-factor',
]);

/** Whether the provider says that it asked for a second factor (RFC 8176; OpenID Connect EAP ACR Values). */
function reportsSecondFactor({ amr, acr }: JWTPayload): boolean {
  return (Array.isArray(amr) && amr.includes('mfa')) || (typeof acr === 'string' && strongContexts.has(acr));
}
