import type { SignIn } from '@holdfast/contracts/organizations/sign-in-settings.ts';

/** The settings as a request repeats them, because it replaces all of them. Without a secret, the stored one stays. */
export function settingsBody(signIn: SignIn) {
  const { issuer, clientId, domains, defaultRole, required, roleRules, recheckDays } = signIn;
  const { trustFactor, trustEmail, acceptRoundTrip } = signIn;
  const trust = { trustFactor, trustEmail, acceptRoundTrip };
  const names = domains.map(({ domain }) => domain);
  return { issuer, clientId, domains: names, defaultRole, required, ...trust, roleRules, recheckDays };
}
