import { daySeconds } from '../core/time.ts';
import type { ReadBudget } from '../limits/long-questions.ts';
import { equals, isNew } from '../table/expressions.ts';
import { keys, ranges } from '../table/keys.ts';
import { at, ofKind, queryItems } from '../table/read.ts';
import { type AuditCountRecord, auditCountRecord, auditPartitionsRecord } from '../table/records/audit.ts';
import { put, transactIfHolds } from '../table/write.ts';
import { allTime, isExpired, openSource, positionOf, type Source, type StoredEntry, scanSources } from './scan.ts';
import { longestWriteMs } from './write.ts';

/** The counts that earlier requests stored, by sort key, and the number of partitions. One call. */
export async function readCounts(organizationId: string) {
  const items = await queryItems(ranges.auditCounts(organizationId));
  const counts = items.filter(({ kind }) => kind === auditCountRecord.kind);
  return {
    counts: new Map(counts.map(item => [String(item.sk), auditCountRecord.parse(item)])),
    partitions: ofKind(auditPartitionsRecord, items).at(0)?.partitions ?? 1,
  };
}

/**
 * The number of entries of a source: the stored count plus everything newer. Usually the first page has all newer
 * entries. Otherwise the rest is read, and if there is a lot of it, the new count is stored.
 * @returns undefined if the budget runs out first; the next request continues from there
 */
export async function countEntries(
  organizationId: string,
  source: Source,
  reading: ReturnType<typeof readCounts>,
  { nowMs, budget }: { nowMs: number; budget: ReadBudget },
): Promise<number | undefined> {
  const { action, partition } = source;
  const [{ counts }, firstPage] = await Promise.all([reading, source.firstPage.promise]);
  const stored = counts.get(keys.auditCount(organizationId, partition, action).sk);
  const nowSeconds = nowMs / 1000;
  const storedCount = sumOf(stored?.byExpiryDay ?? {}, nowSeconds);
  const countedTo = stored === undefined ? allTime.from : stored.countedTo.slice(`${action}#`.length);
  const isNewer = (entry: StoredEntry) => positionOf(entry) > countedTo;
  if (firstPage.isLast || !firstPage.entries.every(isNewer)) {
    return storedCount + firstPage.entries.filter(entry => isNewer(entry) && !isExpired(entry, nowSeconds)).length;
  }
  const period = { from: countedTo, to: allTime.to };
  const attributes = ['sk', 'v', 'createdAt', 'id', 'expiresAt'];
  const unread = openSource(organizationId, source, { period, pageSize: 1000, attributes });
  const { entries, readTo } = await scanSources([unread], { keep: () => true }, budget);
  // Every request counts younger entries again, because an earlier one may still be written.
  const settledTo = new Date(nowMs - longestWriteMs).toISOString();
  const settled = entries.filter(({ createdAt }) => createdAt < settledTo);
  if (settled.length >= 100) await storeCount(organizationId, source, stored, settled);
  return readTo === undefined ? storedCount + entries.length : undefined;
}

/** The number of entries that have not expired. Pure. */
export function sumOf(byExpiryDay: AuditCountRecord['byExpiryDay'], nowSeconds: number): number {
  return Object.entries(byExpiryDay)
    .filter(([day]) => isAlive(day, nowSeconds))
    .reduce((sum, [, count]) => sum + count, 0);
}

function isAlive(day: string, nowSeconds: number): boolean {
  return day === 'never' || Number(day) * daySeconds > nowSeconds;
}

/** If another request stored its count first, that one is kept and nothing is counted twice. */
async function storeCount(
  organizationId: string,
  { action, partition }: Source,
  stored: AuditCountRecord | undefined,
  settled: readonly StoredEntry[],
): Promise<void> {
  const nowSeconds = Date.now() / 1000;
  const unexpired = Object.entries(stored?.byExpiryDay ?? {}).filter(([day]) => isAlive(day, nowSeconds));
  const byExpiryDay = Object.fromEntries(unexpired);
  for (const { expiresAt } of settled) {
    // Rounded up in case an entry doesn't expire at the end of a day.
    const day = expiresAt === undefined ? 'never' : String(Math.ceil(expiresAt / daySeconds));
    byExpiryDay[day] = (byExpiryDay[day] ?? 0) + 1;
  }
  const countedTo = settled.at(-1)?.sk ?? '';
  const condition = stored === undefined ? isNew : { countedTo: equals(stored.countedTo) };
  const count = at(auditCountRecord, organizationId, partition, action);
  await transactIfHolds([put(count, { countedTo, byExpiryDay }, { if: condition })]);
}
