import type { Principal } from '../access/principal.ts';
import type { Log } from '../core/logger.ts';
import { sessionRecord } from '../table/records/session.ts';
import { at, remove, transact } from '../table/store.ts';

/** Ends the session that the request was made with. */
export async function logOut({ userId, credential }: Principal, log: Log): Promise<void> {
  if (credential.method !== 'session') return;
  await transact([remove(at(sessionRecord, userId, credential.hash))]);
  log.account('logged_out', { userId });
}
