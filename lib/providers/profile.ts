import type { JWTPayload } from 'jose';
import { Email, Name } from '../contracts/fields/text.ts';

/** What a provider says about a person and their log-in there. */
export interface Profile {
  /** Only if it is an address. */
  email: string | undefined;
  /** Exactly the boolean `true`: some providers send a string for an address that they have not verified. */
  emailVerified: boolean;
  name: string | undefined;
  /** The Google Workspace domain that manages the account; a personal account has none. */
  hostedDomain: string | undefined;
}

/** Claims of an id token, or of userinfo. Pure. */
export function profileOf(claims: Readonly<Record<string, unknown>>): Profile {
  const email = Email.safeParse(claims.email);
  const name = Name.safeParse(claims.name);
  return {
    email: email.success ? email.data : undefined,
    emailVerified: claims.email_verified === true,
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

/** Whether the provider says that it asked for a second factor (RFC 8176; OpenID Connect EAP ACR Values). Pure. */
export function reportsSecondFactor({ amr, acr }: JWTPayload): boolean {
  return (Array.isArray(amr) && amr.includes('mfa')) || (typeof acr === 'string' && strongContexts.has(acr));
}

/** When the person last authenticated at the provider, in epoch milliseconds; never in the future. Pure. */
export function authenticatedAtMs({ auth_time }: JWTPayload, nowMs: number): number | undefined {
  const isTime = typeof auth_time === 'number' && Number.isFinite(auth_time) && auth_time > 0;
  return isTime ? Math.min(auth_time * 1000, nowMs) : undefined;
}
