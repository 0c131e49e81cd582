import { createHash } from 'node:crypto';
import type { RequestContext } from '../access/request-context.ts';
import { isThere } from '../table/expressions.ts';
import { at } from '../table/read.ts';
import { type UserRecord, userRecord } from '../table/records/user.ts';
import { transactIfHolds, update } from '../table/write.ts';

/*
 * An account records the networks from which its password was given. If strangers use up such a network's failed
 * log-ins, the account can still log in there.
 */

const day = 24 * 60 * 60_000;
const keptMs = 90 * day;
/** An entry is renewed this late, so that most log-ins write nothing. */
const renewedAfterMs = 30 * day;
const maximumNetworks = 10;

export function logsInFrom(user: UserRecord, network: string): boolean {
  return ageMs(user, network) < keptMs;
}

/** Records the network after a correct password. A failure is only logged: it must not keep anybody from logging in. */
export async function recordNetwork({ log }: RequestContext, user: UserRecord, network: string): Promise<void> {
  if (ageMs(user, network) < renewedAfterMs) return;
  const networks = { ...user.logInNetworks, [idOf(user, network)]: new Date().toISOString() };
  const newestFirst = Object.entries(networks).toSorted(([, a], [, b]) => b.localeCompare(a));
  const logInNetworks = Object.fromEntries(newestFirst.slice(0, maximumNetworks));
  try {
    await transactIfHolds([update(at(userRecord, user.id), { set: { logInNetworks } }, { if: isThere })]);
  } catch (error) {
    log.error('could not record the network of a log-in', error, { userId: user.id });
  }
}

function ageMs(user: UserRecord, network: string): number {
  const recordedAt = user.logInNetworks?.[idOf(user, network)];
  return recordedAt === undefined ? Number.POSITIVE_INFINITY : Date.now() - Date.parse(recordedAt);
}

function idOf({ id }: UserRecord, network: string): string {
  return createHash('sha256').update(`${id} ${network}`).digest('base64url').slice(0, 22);
}
