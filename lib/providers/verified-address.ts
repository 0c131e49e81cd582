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
  { domains }: Pick<SignInRecord, 'domains'>,
  { email, emailVerified }: Profile,
): { email: string; domain: string } {
  if (email === undefined || !emailVerified) throw new SignInRefused('email_not_verified');
  const domain = domainOfEmail(email);
  const isVerified = domains.some(one => one.domain === domain && one.verifiedAt !== null);
  if (!isVerified) throw new SignInRefused('domain_not_verified');
  return { email, domain };
}
