import { createHash, createHmac } from 'node:crypto';
import { otherCookie } from '../access/session-cookie.ts';
import { startedSignInCookie } from '../contracts/auth/credentials.ts';
import { dashboardOrigin } from '../core/dashboard-origin.ts';

export const startedSeconds = 10 * 60;

/**
 * The cookie that ties a sign-in to the browser that started it; without a secret, the browser forgets it. The nonce
 * and the PKCE verifier follow from the secret, so neither the table nor the provider's answer is of use in another
 * browser.
 */
export function browserCookie(orgSlug: string, secret = ''): string {
  const maxAgeSeconds = secret === '' ? 0 : startedSeconds;
  const scope = { path: callbackPath(orgSlug), maxAgeSeconds, isForNavigation: true };
  return otherCookie(startedSignInCookie, secret, scope);
}

/** The form of the cookie's secret and of `state`. */
export function isRandom(text: string | undefined): text is string {
  return text !== undefined && /^[A-Za-z0-9_-]{43}$/.test(text);
}

function derived(secret: string, purpose: 'nonce' | 'verifier', state: string): string {
  return createHmac('sha256', secret).update(`${purpose} ${state}`).digest('base64url');
}

export const nonceOf = (secret: string, state: string) => derived(secret, 'nonce', state);
export const verifierOf = (secret: string, state: string) => derived(secret, 'verifier', state);

/** RFC 7636, S256. */
export function codeChallengeOf(verifier: string): string {
  return createHash('sha256').update(verifier).digest('base64url');
}

/**
 * Where an organization's provider sends browsers back to. Each organization has its own, so that one provider can't
 * pass on another's response as its own (mix-up: RFC 9700, section 4.4), even if neither names itself in it.
 */
function callbackPath(orgSlug: string): string {
  return `/v1/auth/provider/${orgSlug}/callback`;
}

/** The redirect URI to register at a provider. The dashboard and the API share an origin there. */
export async function redirectUri(orgSlug: string): Promise<string> {
  return new URL(callbackPath(orgSlug), await dashboardOrigin()).href;
}
