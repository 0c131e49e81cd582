import type { AccountContext } from '../access/request-context.ts';
import { sessionRecord } from '../table/records/session.ts';
import { at, remove, transact } from '../table/store.ts';

/** Ends the session that the request was made with. */
export async function logOut({ principal: { userId, credential }, log }: AccountContext): Promise<void> {
  if (credential.method !== 'session') return;
  await transact([remove(at(sessionRecord, userId, credential.hash))]);
  log.account('logged_out', { userId });
}
