import { newAccount } from '#lib/accounts/new-account.ts';
import { noPassword } from '#lib/crypto/passwords.ts';
import { at, find } from '#lib/table/read.ts';
import { countPlatform } from '#lib/table/records/platform.ts';
import { emailRecord, isFreeAddress, userRecord } from '#lib/table/records/user.ts';
import { transact } from '#lib/table/write.ts';
import { NotImportable, type RecordOf } from './read-export.ts';

/** The members' accounts in this installation: those with the same address, and new ones for the others. */
export interface People {
  /** The id that a person of the file has here. */
  idOf: (id: string) => string;
  missing: RecordOf<'member'>[];
}

/** @throws NotImportable if an account has a member's address without having proved it, or a member's id */
export async function matchPeople(members: readonly RecordOf<'member'>[]): Promise<People> {
  const ids = new Map<string, string>();
  const missing: RecordOf<'member'>[] = [];
  const unproved: string[] = [];
  for (const member of members) {
    const account = await find(at(emailRecord, member.email));
    if (account === undefined || isFreeAddress(account)) {
      if ((await find(at(userRecord, member.userId))) !== undefined) {
        throw new NotImportable(`The id of ${member.email} belongs to an account with another address.`);
      }
      missing.push(member);
      continue;
    }
    ids.set(member.userId, account.userId);
    // Anyone may have registered the address. The same id is that of the same account, from an earlier import.
    const isProved = account.userId === member.userId || (await find(at(userRecord, account.userId)))?.emailVerified;
    if (isProved !== true) unproved.push(member.email);
  }
  if (unproved.length > 0) {
    throw new NotImportable(
      `These accounts have not verified their address, so they may be somebody else’s: ${unproved.join(', ')}. ` +
        'Their owners have to verify it first.',
    );
  }
  return { idOf: id => ids.get(id) ?? id, missing };
}

/** Creates accounts without a password. Their owners set one through “Forgot password”, which proves the address. */
export async function createAccounts(missing: readonly RecordOf<'member'>[]): Promise<void> {
  for (const { userId: id, email, name } of missing) {
    const { writes } = newAccount({ id, email, name, passwordHash: noPassword });
    await transact([...writes, countPlatform({ users: 1 })]);
  }
}
