import { randomBytes } from 'node:crypto';
import type { RequestContext } from '../access/request-context.ts';
import { otherCookie } from '../access/session-cookie.ts';
import { linkCookie } from '../contracts/auth/sign-in-cookies.ts';
import type { Log } from '../core/logger.ts';
import { hashCredential } from '../crypto/credentials.ts';
import { count } from '../limits/count.ts';
import { factorMails } from '../limits/rate-limits.ts';
import { providerLinkedMail } from '../mail/account-mails.ts';
import { equals, isNew, isThere } from '../table/expressions.ts';
import { at, find } from '../table/read.ts';
import { organizationRecord } from '../table/records/organization.ts';
import { type PendingLinkRecord, pendingLinkRecord } from '../table/records/provider-link.ts';
import { domainRecord, signInRecord } from '../table/records/sign-in.ts';
import type { UserRecord } from '../table/records/user.ts';
import { ConditionFailed, check, put, remove, transact, type Write } from '../table/write.ts';
import { linkEpochOf, newLink } from './account-link.ts';
import { mailUnlessRefused } from './factors/mail-unless-refused.ts';

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
 * be made any more doesn't keep anybody from logging in. The user gets a mail about it, in case another site sent the
 * browser to the provider.
 * @param secret the cookie's, if the browser sent one
 * @returns Set-Cookie lines
 */
export async function transactWithLink(
  { log }: RequestContext,
  user: UserRecord,
  secret: string | undefined,
  logIn: readonly Write[],
): Promise<string[]> {
  const userId = user.id;
  const linking = secret === undefined ? undefined : await readPendingLink(user, secret);
  if (linking === undefined) {
    await transact(logIn);
    return [];
  }
  try {
    await transact([...logIn, ...linking.writes]);
    log.account('provider_linked', { userId });
    await tellOfLink(log, user, linking.pending);
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error;
    await transact(logIn);
  }
  return [otherCookie(linkCookie, '', { path, maxAgeSeconds: 0 })];
}

async function tellOfLink(log: Log, user: UserRecord, { orgSlug, organizationId }: PendingLinkRecord): Promise<void> {
  await mailUnlessRefused(log, user, count(factorMails(user.id)), async () => {
    const organization = await find(at(organizationRecord, orgSlug));
    return providerLinkedMail(organization?.id === organizationId ? organization.name : orgSlug);
  });
}

interface Linking {
  pending: PendingLinkRecord;
  writes: Write[];
}

async function readPendingLink(user: UserRecord, secret: string): Promise<Linking | undefined> {
  const item = at(pendingLinkRecord, hashCredential(secret));
  const pending = await find(item);
  const isOpen =
    pending?.userId === user.id && pending.epoch === linkEpochOf(user) && pending.expiresAt * 1000 > Date.now();
  // An administrator of the platform has no links: a customer's provider must not open the platform.
  if (!isOpen || user.isAdmin === true) return undefined;
  const { organizationId, orgSlug, domain, clientVersion, replacedLinkId: linkId } = pending;
  const writes = [
    remove(item, { if: isThere }),
    // Since then, the organization may have been deleted or lost the domain, and its provider changed or removed.
    check(at(organizationRecord, orgSlug), { if: { id: equals(organizationId), status: equals('active') } }),
    check(at(domainRecord, domain), { if: { organizationId: equals(organizationId) } }),
    check(at(signInRecord, orgSlug), {
      if: { organizationId: equals(organizationId), clientVersion: equals(clientVersion) },
    }),
    ...newLink(user, pending, { replaced: linkId === undefined ? undefined : { linkId } }),
  ];
  return { pending, writes };
}
