import type { JWTPayload } from 'jose';
import { Email, Name } from '../contracts/fields/text.ts';

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

const clockSkewMs = 60_000;

/**
 * When the person last authenticated at the provider, in epoch milliseconds; never in the future. Pure.
 * @returns undefined if the provider doesn't say; 0, which is never fresh, if what it says is no time, or a later one
 */
export function authenticatedAtMs({ auth_time }: JWTPayload, nowMs: number): number | undefined {
  if (auth_time === undefined) return undefined;
  const isTime = typeof auth_time === 'number' && auth_time > 0 && auth_time * 1000 <= nowMs + clockSkewMs;
  return isTime ? Math.min(auth_time * 1000, nowMs) : 0;
}
