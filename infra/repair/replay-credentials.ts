import { isDeepStrictEqual } from 'node:util';
import { removalOf } from '#lib/accounts/factors/remove-factors.ts';
import { normalizeEmail } from '#lib/contracts/fields/text.ts';
import { asRead, equals, isNew } from '#lib/table/expressions.ts';
import { ranges } from '#lib/table/keys.ts';
import { at, find, list } from '#lib/table/read.ts';
import { noteWork } from '#lib/table/records/unfinished-work.ts';
import {
  emailRecord,
  emailsChanged,
  factorsUnchanged,
  freeAddress,
  isSame,
  isUnchanged,
  type PasskeyRecord,
  passkeyOwnerRecord,
  passkeyRecord,
  type UserRecord,
  userRecord,
} from '#lib/table/records/user.ts';
import { put, remove, transact, update, type Write } from '#lib/table/write.ts';
import type { NamedTable } from './named-table.ts';

/**
 * Gives an account of the restored table the password, second factors and passkeys that it has in the old one, and ends
 * its sessions and links as they ended there. @returns whether anything differed
 */
export async function copyCredentials(userId: string, old: NamedTable): Promise<boolean> {
  const item = at(userRecord, userId);
  const [oldItems, oldPasskeyItems, user, passkeys] = await Promise.all([
    old.read([item.key]),
    old.query(ranges.passkeys(userId)),
    find(item),
    list(passkeyRecord, ranges.passkeys(userId)),
  ]);
  const [oldItem] = [...oldItems.values()];
  if (oldItem === undefined || user === undefined) return false;
  const set = credentialsOf(userRecord.parse(oldItem), user);
  const passkeyWrites = passkeysAfter(oldPasskeyItems.map(passkeyRecord.parse), passkeys);
  const isUnlike = Object.entries(set).some(
    ([name, value]) => !isDeepStrictEqual(value, user[name as keyof typeof set]),
  );
  if (!isUnlike && passkeyWrites.length === 0) return false;
  const unchanged = { ...factorsUnchanged(user), ...isUnchanged(user) };
  await transact([update(item, { set, add: { creations: 1 } }, { if: unchanged }), ...passkeyWrites]);
  return true;
}

/** Gives an account the address that it has in the old table, where a change was undone. @returns whether it differed */
export async function copyAddress(userId: string, old: NamedTable): Promise<boolean> {
  const item = at(userRecord, userId);
  const [oldItems, user] = await Promise.all([old.read([item.key]), find(item)]);
  const [oldItem] = [...oldItems.values()];
  if (oldItem === undefined || user === undefined) return false;
  const { email, emailVerified } = userRecord.parse(oldItem);
  if (normalizeEmail(email) === normalizeEmail(user.email)) return false;
  const set = { email, emailVerified, emailChanges: emailsChanged(user) + 1 };
  await transact([
    update(item, { set, add: { creations: 1 } }, { if: { ...isUnchanged(user), ...asRead(user, ['email']) } }),
    put(at(emailRecord, email), { userId }, { if: freeAddress(userId) }),
    remove(at(emailRecord, user.email), { if: { userId: equals(userId) } }),
    noteWork({ type: 'copy-email', userId }),
  ]);
  return true;
}

function credentialsOf(old: UserRecord, restored: UserRecord) {
  const isSameApp = old.totp !== undefined && isSame(old.totp.sealed, restored.totp?.sealed);
  const areSameCodes = old.recoveryCodesFrom === restored.recoveryCodesFrom;
  const left = [...(old.recoveryCodes ?? [])].filter(code => !areSameCodes || restored.recoveryCodes?.has(code));
  return {
    passwordHash: old.passwordHash,
    sessionEpoch: Math.max(old.sessionEpoch, restored.sessionEpoch),
    linkEpoch: old.linkEpoch ?? restored.linkEpoch,
    passkeyCount: old.passkeyCount,
    // What was used in either table since can't be used again.
    totp: isSameApp ? restored.totp : old.totp,
    recoveryCodes: left.length === 0 ? undefined : new Set(left),
    recoveryCodesFrom: old.recoveryCodesFrom,
    factorChange: old.factorChange ?? restored.factorChange,
  } satisfies Partial<UserRecord>;
}

function passkeysAfter(old: readonly PasskeyRecord[], restored: readonly PasskeyRecord[]): Write[] {
  const lacks = (list: readonly PasskeyRecord[], { id }: PasskeyRecord) => !list.some(one => one.id === id);
  return [
    ...restored.filter(passkey => lacks(old, passkey)).flatMap(passkey => removalOf(passkey)),
    ...old
      .filter(passkey => lacks(restored, passkey))
      .flatMap(passkey => [
        put(at(passkeyRecord, passkey.userId, passkey.credentialId), passkey, { if: isNew }),
        put(at(passkeyOwnerRecord, passkey.credentialId), { userId: passkey.userId }, { if: isNew }),
      ]),
  ];
}
