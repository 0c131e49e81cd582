import { randomBytes, randomUUID } from 'node:crypto';
import type { RequestContext } from '../access/request-context.ts';
import { otherCookie } from '../access/session-cookie.ts';
import { linkCookie } from '../contracts/auth/credentials.ts';
import { epochSeconds, isOver } from '../core/time.ts';
import { hashCredential } from '../crypto/credentials.ts';
import { count } from '../limits/count.ts';
import { factorMails } from '../limits/rate-limits.ts';
import { providerLinkedMail } from '../mail/account-mails.ts';
import { stillActive } from '../organizations/change-counts.ts';
import type { RemovedMemberRecord } from '../organizations/members/new-member.ts';
import { absent, type Conditions, equals, exists, isNew, isThere } from '../table/expressions.ts';
import { at, find } from '../table/read.ts';
import { organizationRecord } from '../table/records/organization.ts';
import {
  type AccountLinkRecord,
  accountLinkRecord,
  domainRecord,
  type PendingLinkRecord,
  type ProviderLinkRecord,
  pendingLinkRecord,
  providerLinkRecord,
  signInRecord,
} from '../table/records/sign-in.ts';
import type { UserRecord } from '../table/records/user.ts';
import { ConditionFailed, check, put, remove, transact, update, type Write } from '../table/write.ts';
import { mailUnlessRefused } from './factors/mail-unless-refused.ts';

/* An account's link to an organization's sign-in provider: its creation, its validity and its use. */

export type LinkTarget = Pick<AccountLinkRecord, 'organizationId' | 'orgSlug' | 'person' | 'issuer'>;

type LinkedUser = Pick<UserRecord, 'id' | 'isAdmin' | 'linkEpoch'>;

export const linkEpochOf = ({ linkEpoch = 0 }: Pick<UserRecord, 'linkEpoch'>): number => linkEpoch;

/** `pointer` is the person's item as read, if it existed. */
function pointerAsRead(pointer: Pick<ProviderLinkRecord, 'linkId'> | undefined): Conditions<ProviderLinkRecord> {
  if (pointer === undefined) return isNew;
  // Stored items of the earlier format don't have the attribute.
  return pointer.linkId === null ? { pk: exists, linkId: absent } : { linkId: equals(pointer.linkId) };
}

/** The writes that link the account to the person, whose item is `replaced`. `isUsed`: a sign-in creates the link. */
export function newLink(
  { id: userId, ...user }: LinkedUser,
  { organizationId, orgSlug, person, issuer }: LinkTarget,
  { replaced, isUsed }: { replaced: Pick<ProviderLinkRecord, 'linkId'> | undefined; isUsed?: true },
): Write[] {
  const id = randomUUID();
  const createdAt = new Date().toISOString();
  const lastUsedAt = isUsed ? createdAt : null;
  const link = { id, organizationId, orgSlug, person, issuer, epoch: linkEpochOf(user), createdAt, lastUsedAt };
  const pointer = { organizationId, userId, issuer, createdAt, linkId: id };
  return [
    put(at(providerLinkRecord, orgSlug, person), pointer, { if: pointerAsRead(replaced) }),
    // A sign-in creates a link only for an account that has none; a log-in of the account replaces it.
    put(at(accountLinkRecord, userId, organizationId), link, isUsed ? { if: isNew } : {}),
  ];
}

/** The write that uses the link, unless it has ended or the account was recovered since the account was read. */
export function usedLink(
  user: LinkedUser,
  { organizationId, person }: Pick<LinkTarget, 'organizationId' | 'person'>,
  refused: () => Error,
): Write {
  const set = { lastUsedAt: new Date().toISOString() };
  const holds = { id: exists, person: equals(person), epoch: equals(linkEpochOf(user)) };
  return update(at(accountLinkRecord, user.id, organizationId), { set }, { if: holds, refused });
}

/**
 * The check that issuer and client are the same, and all other settings if `version` is given; null means that there
 * are still no rules. Without `refused`, the transaction throws `ConditionFailed`.
 */
export function sameProvider(
  provider: { organizationId: string; orgSlug: string; clientVersion: string; version?: string | null },
  refused?: () => Error,
): Write {
  const { organizationId, orgSlug, clientVersion, version } = provider;
  const isSame = {
    organizationId: equals(organizationId),
    clientVersion: equals(clientVersion),
    ...(version === null ? { roleRules: absent } : {}),
    ...(typeof version === 'string' ? { version: equals(version) } : {}),
  };
  return check(at(signInRecord, orgSlug), { if: isSame, refused });
}

interface LinkState {
  pointer: ProviderLinkRecord;
  link: AccountLinkRecord | undefined;
  removed: RemovedMemberRecord | undefined;
}

/**
 * Whether the person's item still leads to the account. A platform administrator has no links: a customer's provider
 * must not open the platform.
 */
export function linkHolds({ pointer, link, removed }: LinkState, user: LinkedUser): boolean {
  if (user.isAdmin === true) return false;
  if (pointer.linkId !== null) return link?.id === pointer.linkId && link.epoch === linkEpochOf(user);
  return link === undefined && linkEpochOf(user) === 0 && removed?.organizationId !== pointer.organizationId;
}

/*
 * A pending link: somebody signed in with their company's provider, and an account with their address exists. The
 * account must prove itself once: its next log-in in the same browser links it.
 */

const linkSeconds = 10 * 60;

/** The path covers `/v1/auth/login/verify`. */
const pendingLinkCookie = (secret: string, maxAgeSeconds: number) =>
  otherCookie(linkCookie, secret, { path: '/v1/auth/login', maxAgeSeconds });

/** A pending link's Set-Cookie line, and the write that makes it valid. Only the secret's hash is stored. */
export function newPendingLink(link: Omit<PendingLinkRecord, 'expiresAt'>): { cookie: string; write: Write } {
  const secret = randomBytes(32).toString('base64url');
  const record = { ...link, expiresAt: epochSeconds() + linkSeconds };
  const write = put(at(pendingLinkRecord, hashCredential(secret)), record, { if: isNew });
  return { cookie: pendingLinkCookie(secret, linkSeconds), write };
}

/**
 * Commits a log-in, and with it the link that is pending in this browser, if any. A link that is no longer possible
 * doesn't prevent the log-in. The user is mailed about the link, in case another site sent the browser to the provider.
 * @returns Set-Cookie lines
 */
export async function transactWithLink(
  { log }: RequestContext,
  user: UserRecord,
  secret: string | undefined,
  logIn: readonly Write[],
): Promise<string[]> {
  const item = secret === undefined ? undefined : at(pendingLinkRecord, hashCredential(secret));
  const pending = item && (await find(item));
  const isOwn = pending?.userId === user.id && pending.epoch === linkEpochOf(user) && user.isAdmin !== true;
  if (item === undefined || !isOwn || isOver(pending.expiresAt)) {
    await transact(logIn);
    return [];
  }
  const { organizationId, orgSlug, domain, replacedLinkId: linkId } = pending;
  try {
    await transact([
      ...logIn,
      remove(item, { if: isThere }),
      // Meanwhile, the organization may have been deleted or lost the domain, and its provider changed or removed.
      stillActive({ id: organizationId, slug: orgSlug }),
      check(at(domainRecord, domain), { if: { organizationId: equals(organizationId) } }),
      sameProvider(pending),
      ...newLink(user, pending, { replaced: linkId === undefined ? undefined : { linkId } }),
    ]);
    log.account('provider_linked', { userId: user.id });
    await mailUnlessRefused(log, user, count(factorMails(user.id)), async () => {
      const organization = await find(at(organizationRecord, orgSlug));
      return providerLinkedMail(organization?.id === organizationId ? organization.name : orgSlug);
    });
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error;
    await transact(logIn);
  }
  return [pendingLinkCookie('', 0)];
}
