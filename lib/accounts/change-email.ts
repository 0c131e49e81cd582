import type { AccountContext, RequestContext } from '../access/request-context.ts';
import { normalizeEmail } from '../contracts/fields/text.ts';
import { invalidRequest, temporarilyUnavailable } from '../core/errors.ts';
import type { Log } from '../core/logger.ts';
import { expiryAfter } from '../core/time.ts';
import { count, countOne } from '../limits/count.ts';
import { emailChanges, verificationMails } from '../limits/rate-limits.ts';
import { emailChangeMail, emailChangeNoticeMail } from '../mail/address-mails.ts';
import { sendMail } from '../mail/send-mail.ts';
import { asRead, equals, isThere } from '../table/expressions.ts';
import { rareRanges } from '../table/keys.ts';
import { at, find, queryItems, type Read } from '../table/read.ts';
import { noteWork } from '../table/records/unfinished-work.ts';
import {
  type EmailUndoRecord,
  emailRecord,
  emailsChanged,
  emailUndoRecord,
  factorsUnchanged,
  freeAddress,
  isFreeAddress,
  isUnchanged,
  nobody,
  resetLinkRecord,
  type UserRecord,
  undoSeconds,
  userRecord,
  verificationLinkRecord,
} from '../table/records/user.ts';
import { check, put, remove, retryOnConditionFailed, retryWithFreshRead, transact, update } from '../table/write.ts';
import { copyEmail } from './copy-email.ts';
import { invalidLink, newEmailChangeLink, newEmailUndoLink, openEmailChange } from './mailed-link.ts';
import { emailTaken } from './new-account.ts';
import { sessionEnded } from './sessions.ts';

/*
 * Another address for an account. The link to the new address proves it and makes the change; the one to the present
 * address undoes it, or ends the request, for seven days. Until then nobody else can get the present address.
 */

/**
 * Mails both links. The undo link first: without it, the change could not be undone.
 * @throws invalid_request for the present address; email_taken, rate_limited; temporarily_unavailable if SES does not
 * accept one of the mails
 */
export async function changeEmail({ principal: { user }, log }: AccountContext, email: string): Promise<void> {
  if (isSameAddress(email, user.email)) {
    throw invalidRequest([{ path: 'email', message: 'is the address that the account has' }]);
  }
  // The count first: what follows reveals whether the address has an account.
  const [, stored] = await Promise.all([count(emailChanges(user.id)), find(at(emailRecord, email))]);
  if (!isFreeAddress(stored, user.id)) throw emailTaken();
  const [link, undo] = await Promise.all([newEmailChangeLink(user, email), newEmailUndoLink(user)]);
  const unchanged = asRead(user, ['sessionEpoch', 'email', 'emailChanges']);
  const isSame = check(at(userRecord, user.id), { if: unchanged, refused: sessionEnded });
  const mails = verificationMails(email);
  await retryOnConditionFailed(() => transact([link.write, undo.write, isSame, ...countOne(mails)]));
  try {
    await sendMail(user.email, emailChangeNoticeMail(email, undo.url));
    await sendMail(email, emailChangeMail(link.url));
  } catch (error) {
    throw temporarilyUnavailable('The e-mails could not be sent right now. Send the request again.', error);
  }
  log.account('email_change_requested', { userId: user.id });
}

export const isSameAddress = (one: string, other: string) => normalizeEmail(one) === normalizeEmail(other);

/**
 * Gives the account the address that the link was mailed to, which is thereby verified. Links that were mailed to the
 * earlier address to log in there end, and the copies of the address follow.
 * @throws invalid_token; email_taken if another account has got the address since
 */
export async function confirmEmailChange({ log }: RequestContext, token: string): Promise<UserRecord> {
  const readAgain = () => openEmailChange(token);
  const changed = await retryWithFreshRead(await readAgain(), readAgain, async ({ user, link, useUp }) => {
    const changes = emailsChanged(user);
    if (link.epoch !== user.sessionEpoch || link.after !== changes) throw invalidLink();
    const [undos, resets] = await Promise.all([listEmailUndos(user.id), queryItems(rareRanges.resetLinks(user.id))]);
    const undoableUntil = expiryAfter(undoSeconds);
    const set = { email: link.email, emailVerified: true, emailChanges: changes + 1 };
    const reserved = { userId: nobody, reservedFor: user.id, expiresAt: undoableUntil };
    const isOwn = { userId: equals(user.id) };
    await transact([
      useUp,
      update(at(userRecord, user.id), { set, add: { creations: 1 } }, { if: accountUnchanged(user) }),
      put(at(emailRecord, link.email), { userId: user.id }, { if: freeAddress(user.id), refused: emailTaken }),
      put(at(emailRecord, user.email), reserved, { if: isOwn }),
      ...undos
        .filter(({ undo: { after } }) => after === changes)
        .map(({ item }) => update(item, { set: { expiresAt: undoableUntil } }, { if: isThere })),
      remove(at(verificationLinkRecord, user.id)),
      ...resets.map(({ pk, sk }) => remove({ entity: resetLinkRecord, key: { pk, sk } as Read<unknown>['key'] })),
      noteWork({ type: 'copy-email', userId: user.id }),
    ]);
    return { ...user, ...set };
  });
  log.account('email_changed', { userId: changed.id });
  await copyAtOnce(changed.id, log);
  return changed;
}

/** The work is recorded, so it is done later if it fails now. */
export async function copyAtOnce(userId: string, log: Log): Promise<void> {
  await copyEmail({ type: 'copy-email', userId }, log).catch(error =>
    log.error('could not copy an address yet', error, { userId }),
  );
}

const accountUnchanged = (user: UserRecord) => ({
  ...factorsUnchanged(user),
  ...isUnchanged(user),
  ...asRead(user, ['email', 'emailChanges']),
});

/** The links that still work. */
export async function listEmailUndos(
  userId: string,
): Promise<{ item: Read<EmailUndoRecord>; undo: EmailUndoRecord }[]> {
  const now = Date.now();
  const items = await queryItems(rareRanges.emailUndos(userId));
  return items
    .map(stored => {
      const key = { pk: String(stored.pk), sk: String(stored.sk) };
      return { item: { entity: emailUndoRecord, key }, undo: emailUndoRecord.parse(stored) };
    })
    .filter(({ undo }) => undo.expiresAt * 1000 > now);
}
