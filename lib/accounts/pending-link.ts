import { randomBytes } from 'node:crypto';
import type { RequestContext } from '../access/request-context.ts';
import { otherCookie } from '../access/session-cookie.ts';
import { linkCookie } from '../contracts/auth/sign-in-cookies.ts';
import { hashCredential } from '../crypto/credentials.ts';
import { equals, isNew, isThere } from '../table/expressions.ts';
import { at, find } from '../table/read.ts';
import { type PendingLinkRecord, pendingLinkRecord, providerLinkRecord } from '../table/records/provider-link.ts';
import { signInRecord } from '../table/records/sign-in.ts';
import { ConditionFailed, check, put, remove, transact, type Write } from '../table/write.ts';

/*
 * Somebody signed in with their company's provider, and there already is an account with their address. The account must
 * prove itself once: its next log-in in the same browser links it.
 */

const linkSeconds = 10 * 60;
/** Covers `/v1/auth/login/verify`. */
const path = '/v1/auth/login';

/** A pending link: its Set-Cookie line, and the write that makes it valid. Only the secret's hash is stored. */
export function newPendingLink(link: Omit<PendingLinkRecord, 'expiresAt'>): { cookie: string; write: Write } {
  const secret = randomBytes(32).toString('base64url');
  const expiresAt = Math.floor(Date.now() / 1000) + linkSeconds;
  return {
    cookie: otherCookie(linkCookie, secret, { path, maxAgeSeconds: linkSeconds }),
    write: put(at(pendingLinkRecord, hashCredential(secret)), { ...link, expiresAt }, { if: isNew }),
  };
}

/**
 * Makes a log-in's writes, and with them the link that waits for it in this browser, if there is one. A link that can't
 * be made any more doesn't keep anybody from logging in.
 * @param secret the cookie's, if the browser sent one
 * @returns Set-Cookie lines
 */
export async function transactWithLink(
  { log }: RequestContext,
  userId: string,
  secret: string | undefined,
  logIn: readonly Write[],
): Promise<string[]> {
  const linking = secret === undefined ? undefined : await linkWrites(userId, secret);
  if (linking === undefined) {
    await transact(logIn);
    return [];
  }
  try {
    await transact([...logIn, ...linking]);
    log.account('provider_linked', { userId });
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error;
    await transact(logIn);
  }
  return [otherCookie(linkCookie, '', { path, maxAgeSeconds: 0 })];
}

async function linkWrites(userId: string, secret: string): Promise<Write[] | undefined> {
  const item = at(pendingLinkRecord, hashCredential(secret));
  const pending = await find(item);
  if (pending === undefined || pending.userId !== userId || pending.expiresAt * 1000 <= Date.now()) return undefined;
  const { organizationId, orgSlug, issuer, person, clientVersion } = pending;
  const link = { organizationId, userId, issuer, createdAt: new Date().toISOString() };
  return [
    remove(item, { if: isThere }),
    // The provider may have been changed or removed since, or the organization deleted.
    check(at(signInRecord, orgSlug), {
      if: { organizationId: equals(organizationId), clientVersion: equals(clientVersion) },
    }),
    put(at(providerLinkRecord, orgSlug, person), link, { if: [isNew, { userId: equals(userId) }] }),
  ];
}
