import { createHash } from 'node:crypto';
import type { AccountContext, RequestContext } from '../access/request-context.ts';
import { ApiError, temporarilyUnavailable } from '../core/errors.ts';
import { daySeconds, epochSeconds, expiryAfter, hourSeconds, isOver } from '../core/time.ts';
import { createCredential, equalInConstantTime, readCredential } from '../crypto/credentials.ts';
import { count } from '../limits/count.ts';
import { verificationMails } from '../limits/rate-limits.ts';
import { verificationMail } from '../mail/account-mails.ts';
import { dashboardLink } from '../mail/compose-mail.ts';
import { sendMail } from '../mail/send-mail.ts';
import { equals, isThere } from '../table/expressions.ts';
import { at, type Read, readTogether } from '../table/read.ts';
import {
  emailChangeRecord,
  emailsChanged,
  emailUndoRecord,
  type Factor,
  resetLinkRecord,
  type UserRecord,
  undoLinkRecord,
  undoSeconds,
  userRecord,
  verificationLinkRecord,
} from '../table/records/user.ts';
import { put, remove, transact, update } from '../table/write.ts';

/*
 * Links in e-mails: a URL that holds the token, and the write that makes it valid. Only the token's hash is stored.
 */

/** Verifies the account's address. It replaces any earlier one. */
export async function newVerificationLink(userId: string) {
  const { secret, hash } = createCredential(userId);
  const write = put(at(verificationLinkRecord, userId), { hash, expiresAt: epochSeconds() + daySeconds });
  return { url: await dashboardLink('verify-email', secret), write };
}

/** Earlier links stay valid; otherwise anyone could invalidate them by requesting a new one. */
export async function newResetLink(user: Pick<UserRecord, 'id' | 'sessionEpoch' | 'emailChanges'>) {
  const { id, sessionEpoch: epoch, emailChanges } = user;
  const { secret, hash } = createCredential(id);
  const expiresAt = epochSeconds() + hourSeconds;
  const write = put(at(resetLinkRecord, id, hash), { epoch, emailChanges, expiresAt });
  return { url: await dashboardLink('reset-password', secret), write };
}

/** Undoes the addition of a factor. Also has the write that invalidates it. */
export async function newUndoLink(userId: string) {
  const { secret, hash } = createCredential(userId);
  const item = at(undoLinkRecord, userId, hash);
  return {
    url: await dashboardLink('undo-factor', secret),
    write: (factor: Factor, change: number) =>
      put(item, { factor, change, addedAt: new Date().toISOString(), expiresAt: epochSeconds() + undoSeconds }),
    removal: remove(item),
  };
}

/** @throws invalid_token if it is unknown, used or expired, as does the transaction that uses the link up */
export async function openUndoLink(token: string) {
  const { user, item, link } = await openLink(token, (userId, hash) => at(undoLinkRecord, userId, hash));
  return { user, factor: link.factor, change: link.change, useUp: remove(item, { if: isThere, refused: invalidLink }) };
}

/** Raising the account's epoch uses up the link and all others. @throws invalid_token, also after a new password */
export async function openResetLink(token: string): Promise<UserRecord> {
  const { user, link } = await openLink(token, (userId, hash) => at(resetLinkRecord, userId, hash));
  if (link.epoch !== user.sessionEpoch || emailsChanged(link) !== emailsChanged(user)) throw invalidLink();
  return user;
}

/** Gives the account another address. It replaces any earlier one. */
export async function newEmailChangeLink(user: UserRecord, email: string) {
  const { secret, hash } = createCredential(user.id);
  const expiresAt = epochSeconds() + daySeconds;
  const link = { hash, email, epoch: user.sessionEpoch, after: emailsChanged(user), expiresAt };
  return { url: await dashboardLink('change-email', secret), write: put(at(emailChangeRecord, user.id), link) };
}

/** Gives the account back the address that it has now. Earlier links stay valid. */
export async function newEmailUndoLink(user: UserRecord) {
  const { email, emailVerified, factorChange, passwordHash } = user;
  const { secret, hash } = createCredential(user.id);
  const link = {
    email,
    emailVerified,
    after: emailsChanged(user),
    factorChange: factorChange?.number ?? 0,
    passwordDigest: digestOf(passwordHash),
    expiresAt: expiryAfter(undoSeconds),
  };
  return { url: await dashboardLink('undo-email', secret), write: put(at(emailUndoRecord, user.id, hash), link) };
}

export const digestOf = (passwordHash: string) => createHash('sha256').update(passwordHash).digest('base64url');

/** @throws invalid_token if it is unknown, used, replaced or expired, also after a new password or another change */
export async function openEmailChange(token: string) {
  const { user, link, item, hash } = await openLink(token, userId => at(emailChangeRecord, userId));
  if (!equalInConstantTime(link.hash, hash)) throw invalidLink();
  return { user, link, useUp: remove(item, { if: { hash: equals(hash) }, refused: invalidLink }) };
}

/** @throws invalid_token if it is unknown, used or expired, as does the transaction that uses the link up */
export async function openEmailUndo(token: string) {
  const { user, link, item } = await openLink(token, (userId, hash) => at(emailUndoRecord, userId, hash));
  return { user, link, useUp: remove(item, { if: isThere, refused: invalidLink }) };
}

async function openLink<Link extends { expiresAt: number }>(
  token: string,
  itemOf: (userId: string, hash: string) => Read<Link>,
) {
  const { userId, hash } = readCredential(token) ?? {};
  if (userId === undefined || hash === undefined) throw invalidLink();
  const item = itemOf(userId, hash);
  const { link, user } = await readTogether({ link: item, user: at(userRecord, userId) });
  if (user === undefined || link === undefined || isOver(link.expiresAt)) throw invalidLink();
  return { user, item, link, hash };
}

export const invalidLink = () =>
  new ApiError('invalid_token', 'This link is not valid: it is unknown, used or expired.');

/**
 * Mails a verification link, which replaces any earlier one. Does nothing if the address is already verified.
 * @throws rate_limited; temporarily_unavailable if SES does not accept the mail
 */
export async function sendVerification({ principal: { user } }: AccountContext): Promise<void> {
  if (user.emailVerified) return;
  await count(verificationMails(user.email));
  const link = await newVerificationLink(user.id);
  await transact([link.write]);
  try {
    await sendMail(user.email, verificationMail(user.name, link.url));
  } catch (error) {
    throw temporarilyUnavailable('The e-mail could not be sent right now. Send the request again.', error);
  }
}

/** @throws invalid_token if the link is unknown, used, replaced or expired */
export async function verifyEmail({ log }: RequestContext, token: string): Promise<UserRecord> {
  const { user, item, link, hash } = await openLink(token, userId => at(verificationLinkRecord, userId));
  if (!equalInConstantTime(link.hash, hash)) throw invalidLink();
  const useUp = remove(item, { if: { hash: equals(hash) }, refused: invalidLink });
  await transact([useUp, update(at(userRecord, user.id), { set: { emailVerified: true } }, { if: isThere })]);
  log.account('email_verified', { userId: user.id });
  return { ...user, emailVerified: true };
}
