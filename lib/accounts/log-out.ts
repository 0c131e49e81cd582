import type { AccountContext } from '../access/request-context.ts';
import { at } from '../table/read.ts';
import { sessionRecord } from '../table/records/session.ts';
import { remove, transact } from '../table/write.ts';

/** Ends the session that the request was made with. */
export async function logOut({ principal: { userId, credential }, log }: AccountContext): Promise<void> {
  if (credential.method !== 'session') return;
  await transact([remove(at(sessionRecord, userId, credential.hash))]);
  log.account('logged_out', { userId });
}
