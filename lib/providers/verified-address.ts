import { entraTenantOf, isSharedIssuer } from '../identities/shared-issuers.ts';
import type { SignInRecord } from '../table/records/sign-in.ts';
import { domainOfEmail } from './domain-of-email.ts';
import type { Proof } from './open-sign-in.ts';
import type { Profile } from './profile.ts';
import { SignInRefused } from './sign-in-refused.ts';

/**
 * The address that a person may be known by at their first sign-in: the provider has verified it, or is trusted not to
 * say so, and the organization has verified its domain. Pure.
 * @throws email_missing, email_not_verified, domain_not_verified
 */
export function requireVerifiedDomain(
  signIn: Pick<SignInRecord, 'issuer' | 'domains' | 'trustEmail'>,
  proof: Pick<Proof, 'profile' | 'claims'>,
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
  { profile: { emailVerified }, claims }: Pick<Proof, 'profile' | 'claims'>,
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
  return domains.some(one => one.domain === domain && one.verifiedAt !== null);
}
