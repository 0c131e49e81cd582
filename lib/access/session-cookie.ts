import { ApiError } from '../core/errors.ts';
import { settings } from '../core/settings.ts';
import { daySeconds, epochSeconds, hourSeconds } from '../core/time.ts';
import { derivedUuid } from '../crypto/derived-uuid.ts';
import type { SessionRecord } from '../table/records/credentials.ts';

export const sessionCookieName = '__service_session';

/** Sliding: it is renewed in use, at most once an hour. */
const sessionLifetimeSeconds = 14 * daySeconds;

/** A session ends this long after it started, even if it is in constant use. */
const longestSessionSeconds = 90 * daySeconds;

/** Somebody whom the company's provider no longer admits is out after this time. */
const longestProviderSessionSeconds = 12 * hourSeconds;

type StoredSession = Pick<SessionRecord, 'createdAt' | 'expiresAt' | 'provider' | 'restoredTable'>;

export function sessionEndsAt(session: Pick<StoredSession, 'createdAt' | 'provider'>, nowMs: number): number {
  return Math.min(epochSeconds(nowMs) + sessionLifetimeSeconds, latestEnd(session));
}

/**
 * In epoch seconds. A table restored from a backup also contains sessions that were ended after the backup, so a
 * session is valid only in the table in which it started.
 */
export function endOfSession(session: StoredSession): number {
  if (session.restoredTable !== settings().RESTORED_TABLE) return 0;
  return Math.min(session.expiresAt, latestEnd(session));
}

function latestEnd({ createdAt, provider }: Pick<StoredSession, 'createdAt' | 'provider'>): number {
  const longest = provider === undefined ? longestSessionSeconds : longestProviderSessionSeconds;
  return epochSeconds(Date.parse(createdAt)) + longest;
}

/** The public identifier of a session, which stays the same when a step-up replaces the secret. */
export function sessionIdOf({ hash, session }: { hash: string; session: { id?: string | undefined } }): string {
  return session.id ?? derivedUuid(`session ${hash}`);
}

export function sessionCookie(secret: string, endsAt: number): string {
  return otherCookie(sessionCookieName, secret, { path: '/', maxAgeSeconds: Math.max(0, endsAt - epochSeconds()) });
}

/** Makes the browser forget the session. */
export const expiredSessionCookie = () => sessionCookie('', 0);

interface CookieScope {
  path: string;
  /** 0: the browser forgets it. */
  maxAgeSeconds: number;
  /** Only read when the browser itself goes to the path, not by the dashboard's requests. */
  isForNavigation?: boolean;
}

/** Set-Cookie for another cookie, with the session's protection. Secure except on a local http address. */
export function otherCookie(name: string, content: string, scope: CookieScope): string {
  const { path, maxAgeSeconds, isForNavigation = false } = scope;
  const parts = [`${name}=${content}`, `Path=${path}`, `Max-Age=${maxAgeSeconds}`, 'HttpOnly'];
  // Partitioned (CHIPS): browsers that block third-party cookies still keep it, for the dashboard's site only.
  if (settings().SESSION_COOKIE === 'cross-site' && !isForNavigation)
    return [...parts, 'SameSite=None', 'Secure', 'Partitioned'].join('; ');
  parts.push('SameSite=Lax');
  if (!isPlainLocal(settings().PUBLIC_BASE_URL)) parts.push('Secure');
  return parts.join('; ');
}

function isPlainLocal(baseUrl: string | undefined): boolean {
  if (baseUrl === undefined) return false;
  const { protocol, hostname } = new URL(baseUrl);
  return protocol === 'http:' && ['localhost', '127.0.0.1', '[::1]'].includes(hostname);
}

/**
 * The session's secret from the cookies of a request.
 * @throws unauthenticated for two different ones: a page of a sibling domain can set a cookie of this name, so that its
 * victim would work in the attacker's account without noticing
 */
export function sessionSecretOf(cookies: readonly string[] | undefined): string | undefined {
  const start = `${sessionCookieName}=`;
  const sent = (cookies ?? []).filter(text => text.startsWith(start)).map(text => text.slice(start.length));
  const secrets = new Set(sent);
  if (secrets.size < 2) return [...secrets][0];
  throw new ApiError(
    'unauthenticated',
    'The browser sent two different session cookies, and another site of the same domain may have set one of them. ' +
      'Delete the cookies of this site and of its parent domain, then sign in again.',
  );
}
