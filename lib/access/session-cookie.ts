import { settings } from '../core/settings.ts';

export const sessionCookieName = '__service_session';

/** Fourteen days, sliding. */
export const sessionLifetimeSeconds = 14 * 24 * 60 * 60;

/** Set-Cookie for a session. Secure everywhere but on a local http address, where browsers would drop it. */
export function sessionCookie(secret: string): string {
  return cookie(secret, sessionLifetimeSeconds);
}

/** Set-Cookie that makes the browser forget the session. */
export function expiredSessionCookie(): string {
  return cookie('', 0);
}

function cookie(content: string, maxAgeSeconds: number): string {
  const parts = [`${sessionCookieName}=${content}`, 'Path=/', `Max-Age=${maxAgeSeconds}`, 'HttpOnly', 'SameSite=Lax'];
  if (!isPlainLocal(settings().PUBLIC_BASE_URL)) parts.push('Secure');
  return parts.join('; ');
}

function isPlainLocal(baseUrl: string | undefined): boolean {
  if (baseUrl === undefined) return false;
  const { protocol, hostname } = new URL(baseUrl);
  return protocol === 'http:' && ['localhost', '127.0.0.1', '[::1]'].includes(hostname);
}

/** The session's secret out of the cookies of a request. */
export function sessionSecretOf(cookies: readonly string[] | undefined): string | undefined {
  const start = `${sessionCookieName}=`;
  return cookies?.find(one => one.startsWith(start))?.slice(start.length);
}
