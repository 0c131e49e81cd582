import { ranges } from '../table/keys.ts';
import { list } from '../table/read.ts';
import { isSame, type UndoLinkRecord, undoLinkRecord, undoSeconds } from '../table/records/link.ts';
import type { UserRecord } from '../table/records/user.ts';

/*
 * Whoever holds a stolen password can add a factor. Its owner is mailed a link that removes it again within seven days.
 * Until then the factor is not settled, and proves less than one that its owner has kept.
 */

/** A factor, as far as its age depends on it. */
export type AgedFactor =
  | { method: 'totp' | 'recovery_code' }
  | { method: 'passkey'; passkey: { credentialId: string } | undefined };

/** The account's factors that are not settled, as the links that remove them identify them. One round trip. */
export async function listUnsettled(userId: string): Promise<UndoLinkRecord[]> {
  const links = await list(undoLinkRecord, ranges.undoLinks(userId));
  return links.filter(({ expiresAt }) => expiresAt * 1000 > Date.now());
}

/** Whether the factor is settled, or was added before `requiredAt`: then it breaks glass. Pure. */
export function breaksGlass(
  factor: AgedFactor,
  user: UserRecord,
  { unsettled, requiredAt = '' }: { unsettled: readonly UndoLinkRecord[]; requiredAt: string | undefined },
): boolean {
  const sinceMs = unsettledSinceMs(user, factor, unsettled);
  return sinceMs === undefined || sinceMs <= Date.parse(requiredAt);
}

/**
 * When the factor was added, in epoch milliseconds; undefined if it is settled. Recovery codes are as young as the
 * youngest factor that was added before them. Pure.
 */
function unsettledSinceMs(
  user: UserRecord,
  factor: AgedFactor,
  unsettled: readonly UndoLinkRecord[],
): number | undefined {
  const times = unsettled.filter(link => covers(link, user, factor)).map(addedAtMs);
  return times.length === 0 ? undefined : Math.max(...times);
}

function covers({ factor: added, change }: UndoLinkRecord, user: UserRecord, factor: AgedFactor): boolean {
  if (factor.method === 'recovery_code') return change <= (user.recoveryCodesFrom ?? Number.POSITIVE_INFINITY);
  if (added.method === 'passkey') {
    return factor.method === 'passkey' && added.credentialId === factor.passkey?.credentialId;
  }
  return factor.method === 'totp' && isSame(added.sealed, user.totp?.sealed);
}

/** Without the time, the latest that it can be: the end is stored in whole seconds. */
function addedAtMs({ addedAt, expiresAt }: UndoLinkRecord): number {
  return addedAt === undefined ? (expiresAt - undoSeconds + 1) * 1000 : Date.parse(addedAt);
}
