import { randomUUID } from 'node:crypto';
import { absent, type Conditions, equals, exists, isNew } from '../table/expressions.ts';
import { at } from '../table/read.ts';
import type { removedMemberRecord } from '../table/records/member.ts';
import {
  type AccountLinkRecord,
  accountLinkRecord,
  type ProviderLinkRecord,
  providerLinkRecord,
} from '../table/records/provider-link.ts';
import type { UserRecord } from '../table/records/user.ts';
import { put, update, type Write } from '../table/write.ts';

/* An account's link to an organization's sign-in provider: what makes it, what it is worth, what ends it. */

/** What a link records about where it leads. */
export type LinkTarget = Pick<AccountLinkRecord, 'organizationId' | 'orgSlug' | 'person' | 'issuer'>;

type LinkedUser = Pick<UserRecord, 'id' | 'isAdmin' | 'linkEpoch'>;

export const linkEpochOf = ({ linkEpoch = 0 }: Pick<UserRecord, 'linkEpoch'>): number => linkEpoch;

/** The person's item is still as it was read; undefined: there was none. */
export function pointerAsRead(pointer: Pick<ProviderLinkRecord, 'linkId'> | undefined): Conditions<ProviderLinkRecord> {
  if (pointer === undefined) return isNew;
  // Stored items of the earlier format don't have the attribute.
  return pointer.linkId === null ? { pk: exists, linkId: absent } : { linkId: equals(pointer.linkId) };
}

/**
 * The writes that link the account to the person.
 * @param replaced the person's item as read
 * @param isUsed a sign-in makes the link, and lets the person in with it
 */
export function newLink(
  { id: userId, ...user }: LinkedUser,
  { organizationId, orgSlug, person, issuer }: LinkTarget,
  { replaced, isUsed }: { replaced: Pick<ProviderLinkRecord, 'linkId'> | undefined; isUsed?: true },
): Write[] {
  const id = randomUUID();
  const createdAt = new Date().toISOString();
  const link = { id, organizationId, orgSlug, person, issuer, epoch: linkEpochOf(user), createdAt };
  const pointer = { organizationId, userId, issuer, createdAt, linkId: id };
  return [
    put(at(providerLinkRecord, orgSlug, person), pointer, { if: pointerAsRead(replaced) }),
    // A sign-in makes a link only for an account that has none; a log-in of the account replaces it.
    put(
      at(accountLinkRecord, userId, organizationId),
      { ...link, lastUsedAt: isUsed ? createdAt : null },
      isUsed ? { if: isNew } : {},
    ),
  ];
}

/**
 * The write that uses the link. It fails if the link ended, or the account was recovered, since the account was read. A
 * request that ends the link notices that it was used, and reads the account's sessions again.
 */
export function usedLink(
  user: LinkedUser,
  { organizationId, person }: Pick<LinkTarget, 'organizationId' | 'person'>,
  refused: () => Error,
): Write {
  return update(
    at(accountLinkRecord, user.id, organizationId),
    { set: { lastUsedAt: new Date().toISOString() } },
    { if: { id: exists, person: equals(person), epoch: equals(linkEpochOf(user)) }, refused },
  );
}

interface Read {
  pointer: ProviderLinkRecord;
  link: AccountLinkRecord | undefined;
  /** The user's last membership that ended under the organization's slug. */
  removed: ReturnType<typeof removedMemberRecord.parse> | undefined;
}

/**
 * Whether the person's item still leads to the account. A platform administrator has no links: a customer's provider must
 * not open the platform. Pure.
 */
export function linkHolds({ pointer, link, removed }: Read, user: LinkedUser): boolean {
  if (user.isAdmin === true) return false;
  if (pointer.linkId !== null) return link?.id === pointer.linkId && link.epoch === linkEpochOf(user);
  return link === undefined && linkEpochOf(user) === 0 && removed?.organizationId !== pointer.organizationId;
}
