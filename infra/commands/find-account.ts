import { at, find } from '#lib/table/read.ts';
import { emailRecord, type UserRecord, userRecord } from '#lib/table/records/user.ts';

/** @throws Error with one sentence if there is none */
export async function requireAccount(email: string): Promise<UserRecord> {
  const pointer = await find(at(emailRecord, email));
  const user = pointer && (await find(at(userRecord, pointer.userId)));
  if (user === undefined) throw new Error(`No account has the e-mail address ${email}.`);
  return user;
}
