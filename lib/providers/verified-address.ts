import type { SignInRecord } from '../table/records/sign-in.ts';
import { domainOfEmail } from './domain-of-email.ts';
import type { Profile } from './profile.ts';
import { SignInRefused } from './sign-in-refused.ts';

/**
 * The address that a person may be known by at their first sign-in: the provider has verified it, and the organization
 * has verified its domain. Pure.
 * @throws email_not_verified, domain_not_verified
 */
export function requireVerifiedDomain(
  signIn: Pick<SignInRecord, 'issuer' | 'domains'>,
  profile: Profile,
): { email: string; domain: string } {
  requireHostedDomain(signIn, profile);
  const { email, emailVerified, hostedDomain } = profile;
  if (isShared(signIn) && !isVerified(signIn, hostedDomain)) throw new SignInRefused('domain_not_verified');
  if (email === undefined || !emailVerified) throw new SignInRefused('email_not_verified');
  const domain = domainOfEmail(email);
  if (!isVerified(signIn, domain)) throw new SignInRefused('domain_not_verified');
  return { email, domain };
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
