import type { Log } from '../http/logger.ts';
import type { Principal } from '../http/principal.ts';
import { at, remove, transact } from '../table/store.ts';
import { sessionRecord } from './records.ts';

/** Ends the session that the request was made with. */
export async function logOut({ userId, credential }: Principal, log: Log): Promise<void> {
  if (credential.method !== 'session') return;
  await transact([remove(at(sessionRecord, userId, credential.hash))]);
  log.account('logged_out', { userId });
}
