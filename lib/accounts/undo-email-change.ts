import type { RequestContext } from '../access/request-context.ts';
import { noPassword } from '../crypto/passwords.ts';
import { emailUndoneMail } from '../mail/address-mails.ts';
import { sendMail } from '../mail/send-mail.ts';
import { equals } from '../table/expressions.ts';
import { ranges } from '../table/keys.ts';
import { at, queryItems, type Read } from '../table/read.ts';
import { noteWork } from '../table/records/unfinished-work.ts';
import {
  type EmailUndoRecord,
  emailChangeRecord,
  emailRecord,
  emailsChanged,
  freeAddress,
  type UserRecord,
  undoLinkRecord,
  verificationLinkRecord,
} from '../table/records/user.ts';
import { put, remove, removeAll, type Write } from '../table/write.ts';
import { copyAtOnce, isSameAddress, listEmailUndos } from './change-email.ts';
import { laterFactorsGone } from './factors/remove-factors.ts';
import { digestOf, invalidLink, openEmailUndo } from './mailed-link.ts';
import { type AccountChange, endSessions, readHeldTokens } from './sessions.ts';

/**
 * Gives the account back the address that the link was mailed to, whatever has happened since: it ends every session,
 * token, link to a provider and mailed link, as well as the links that undo later changes. If the password was set since
 * the change was requested, it no longer works, and factors added since are removed: whoever changed the address may
 * have added them. An undo before the change only ends the request.
 * @throws invalid_token
 */
export async function undoEmailChange({ source, log }: RequestContext, token: string): Promise<void> {
  const { user, link, useUp } = await openEmailUndo(token);
  const held = await readHeldTokens(user.id);
  let laterLinks: Read<unknown>['key'][] = [];
  const decide = async (current: UserRecord) => {
    const [factorLinks, undos] = await Promise.all([listFactorLinks(user.id), listEmailUndos(user.id)]);
    const later = factorLinks.filter(({ undo: { change } }) => change > link.factorChange);
    laterLinks = later.map(({ key }) => key);
    const factors = await laterFactorsGone(
      current,
      link.factorChange,
      later.map(({ undo }) => undo),
    );
    const address = addressBefore(current, link);
    const passwordHash = digestOf(current.passwordHash) === link.passwordDigest ? current.passwordHash : noPassword;
    return {
      set: { ...factors.set, ...address.set, passwordHash, emailChanges: emailsChanged(current) + 1 },
      writes: [
        useUp,
        ...factors.writes,
        ...address.writes,
        ...undos.filter(({ undo: { after } }) => after > link.after).map(({ item }) => remove(item)),
        remove(at(emailChangeRecord, user.id)),
        remove(at(verificationLinkRecord, user.id)),
      ],
    };
  };
  await endSessions({ user, held, source, decide, recovers: true, gone: invalidLink });
  log.account('email_change_undone', { userId: user.id, ip: source.ip });
  try {
    // Whoever has one could only end sessions with it.
    await removeAll(laterLinks);
    await copyAtOnce(user.id, log);
    await sendMail(link.email, await emailUndoneMail());
  } catch (error) {
    log.error('could not finish the undo of a change of address', error, { userId: user.id });
  }
}

/** What gives the account its earlier address. The address that it has is free at once. */
function addressBefore(user: UserRecord, { email, emailVerified }: EmailUndoRecord): AccountChange {
  if (isSameAddress(email, user.email)) return { set: {}, writes: [] };
  const writes: Write[] = [
    put(at(emailRecord, email), { userId: user.id }, { if: freeAddress(user.id), refused: invalidLink }),
    remove(at(emailRecord, user.email), { if: { userId: equals(user.id) } }),
    noteWork({ type: 'copy-email', userId: user.id }),
  ];
  return { set: { email, emailVerified }, writes };
}

async function listFactorLinks(userId: string) {
  const items = await queryItems(ranges.undoLinks(userId));
  return items.map(item => ({
    key: { pk: String(item.pk), sk: String(item.sk) } as Read<unknown>['key'],
    undo: undoLinkRecord.parse(item),
  }));
}
