import { ApiError } from '../core/errors.ts';
import { createCredential, equalInConstantTime, readCredential } from '../crypto/credentials.ts';
import { dashboardLink } from '../mail/dashboard-link.ts';
import { equals } from '../table/expressions.ts';
import { linkRecord } from '../table/records/link.ts';
import { type UserRecord, userRecord } from '../table/records/user.ts';
import { at, put, readTogether, remove, type Write } from '../table/store.ts';

/** What a mailed link is for, and how long it works. */
export const linkLifetimeSeconds = { 'verify-email': 24 * 60 * 60, 'reset-password': 60 * 60 } as const;

export type LinkPurpose = keyof typeof linkLifetimeSeconds;

/** A new link of the account; its write makes it the only valid one of its purpose. Only the token's hash is stored. */
export function newLink(userId: string, purpose: LinkPurpose): { url: string; write: Write } {
  const { secret, hash } = createCredential(userId);
  const expiresAt = Math.floor(Date.now() / 1000) + linkLifetimeSeconds[purpose];
  return { url: dashboardLink(purpose, secret), write: put(at(linkRecord, userId, purpose), { hash, expiresAt }) };
}

/**
 * The account that a link's token belongs to, with the write that uses the link up. The transaction with that write
 * fails with invalid_token where somebody else used or replaced it in the meantime.
 * @throws invalid_token where it is unknown, used, replaced or expired
 */
export async function openLink(token: string, purpose: LinkPurpose): Promise<{ user: UserRecord; useUp: Write }> {
  const claimed = readCredential(token);
  if (claimed === undefined) throw invalidLink();
  const { userId, hash } = claimed;
  const link = at(linkRecord, userId, purpose);
  const found = await readTogether({ link, user: at(userRecord, userId) });
  if (found.link === undefined || found.user === undefined) throw invalidLink();
  if (found.link.expiresAt * 1000 <= Date.now() || !equalInConstantTime(found.link.hash, hash)) throw invalidLink();
  return { user: found.user, useUp: remove(link, { if: { hash: equals(hash) }, refused: invalidLink }) };
}

function invalidLink(): ApiError {
  return new ApiError('invalid_token', 'This link is not valid: it is unknown, used or expired.');
}
