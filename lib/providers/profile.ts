import type { JWTPayload } from 'jose';
import { Email, Name } from '../contracts/fields/text.ts';
import { entraTenantOf, isSharedIssuer } from '../identities/shared-issuers.ts';
import type { SignInRecord } from '../table/records/sign-in.ts';
import { SignInRefused } from './log-in-page.ts';

/** What a provider says about a person and their log-in there. */
export interface Profile {
  /** Only if it is an address. */
  email: string | undefined;
  /**
   * `yes` is exactly the boolean `true`: some providers send a string for an address that they have not verified. Others
   * never say, and the organization may trust them all the same (`trustEmail`).
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

/** Claims of an id token, or of userinfo. Pure. */
export function profileOf(claims: Readonly<Record<string, unknown>>): Profile {
  const email = Email.safeParse(claims.email);
  const name = Name.safeParse(claims.name);
  return {
    email: email.success ? email.data : undefined,
    emailVerified: verifiedOf(claims.email_verified),
    name: name.success ? name.data : undefined,
    hostedDomain: typeof claims.hd === 'string' ? claims.hd.toLowerCase() : undefined,
  };
}

function verifiedOf(claim: unknown): Profile['emailVerified'] {
  if (claim === undefined) return 'unknown';
  return claim === true ? 'yes' : 'no';
}

/** The values of `acr` that mean more than one factor. */
const strongContexts = new Set([
  'phr',
  'phrh',
  'https://refeds.org/profile/mfa',
  'http://schemas.openid.net/pape/policies/2007/06/multi-factor',
]);

/** Whether the provider says that it asked for a second factor (RFC 8176; OpenID Connect EAP ACR Values). Pure. */
export function reportsSecondFactor({ amr, acr }: JWTPayload): boolean {
  return (Array.isArray(amr) && amr.includes('mfa')) || (typeof acr === 'string' && strongContexts.has(acr));
}

/** The provider’s clock may differ. */
export const clockSkewMs = 60_000;

/**
 * When the person last authenticated at the provider, in epoch milliseconds; never in the future. Pure.
 * @returns undefined if the provider doesn't say; 0, which is never fresh, if what it says is no time, or a later one
 */
export function authenticatedAtMs({ auth_time }: JWTPayload, nowMs: number): number | undefined {
  if (auth_time === undefined) return undefined;
  const isTime = typeof auth_time === 'number' && auth_time > 0 && auth_time * 1000 <= nowMs + clockSkewMs;
  return isTime ? Math.min(auth_time * 1000, nowMs) : 0;
}

/**
 * The address that a person may have at their first sign-in: the provider has verified it, or is trusted without saying
 * so, and the organization has verified its domain. Pure.
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

/** Whether the provider says that the address is verified, or doesn't say and is trusted without. Pure. */
export function isVerifiedAddress(
  { issuer, trustEmail }: Pick<SignInRecord, 'issuer' | 'trustEmail'>,
  { profile: { emailVerified }, claims }: ProvenPerson,
): boolean {
  if (emailVerified !== 'unknown') return emailVerified === 'yes';
  if (trustEmail !== true || isSharedIssuer(issuer)) return false;
  const tenant = entraTenantOf(issuer);
  return tenant === undefined || tenant === claims.tid;
}

/** Serves all companies and personal accounts alike. */
const sharedIssuer = 'https://accounts.google.com';

/**
 * Required at every sign-in with an issuer that many companies share: a personal account there may have an address of the
 * company, and its owner keeps it when they leave. Pure.
 * @throws domain_not_verified
 */
export function requireHostedDomain(
  signIn: Pick<SignInRecord, 'issuer' | 'domains'>,
  { hostedDomain }: Pick<Profile, 'hostedDomain'>,
): void {
  // A record that is gone ends first sign-ins, but must not lock out those who are linked.
  const isListed = signIn.domains.some(({ domain }) => domain === hostedDomain);
  if (isShared(signIn) && !isListed) throw new SignInRefused('domain_not_verified');
}

function isShared({ issuer }: Pick<SignInRecord, 'issuer'>): boolean {
  return issuer === sharedIssuer;
}

function isVerified({ domains }: Pick<SignInRecord, 'domains'>, domain: string | undefined): boolean {
  return domains.some(own => own.domain === domain && own.verifiedAt !== null);
}

/** The domain of an address, as domains are stored. Pure. */
export function domainOfEmail(email: string): string {
  return email.slice(email.lastIndexOf('@') + 1).toLowerCase();
}
