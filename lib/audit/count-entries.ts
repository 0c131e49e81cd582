import { longestWriteMs } from '../access/audit-write.ts';
import type { Key } from '../table/entity.ts';
import { equals, isNew } from '../table/expressions.ts';
import { keys, ranges } from '../table/keys.ts';
import { at, ofKind, queryItems, queryPage } from '../table/read.ts';
import { type AuditCountRecord, auditCountRecord } from '../table/records/audit-count.ts';
import { auditPartitionsRecord } from '../table/records/audit-partitions.ts';
import { put, transactIfHolds } from '../table/write.ts';
import {
  type EntrySource,
  type EntryStream,
  isExpired,
  type ReadBudget,
  type StoredEntry,
  takePage,
} from './entry-stream.ts';

const daySeconds = 86_400;

/** The stored count is only updated once at least this many new entries have been read. */
const worthWriting = 100;

/** Below DynamoDB's 1 MB page size. Without a limit, DynamoDB Local reads the whole range before it cuts the page. */
const pageOfCounting = 1000;

interface Counting {
  nowMs: number;
  budget: ReadBudget;
}

/** The counts that earlier requests stored, by sort key, and the number of partitions. One call. */
export async function readCounts(
  organizationId: string,
): Promise<{ counts: Map<string, AuditCountRecord>; partitions: number }> {
  const items = await queryItems(ranges.auditCounts(organizationId));
  const [spread] = ofKind(auditPartitionsRecord, items);
  const counts = items.filter(({ kind }) => kind === auditCountRecord.kind);
  return {
    counts: new Map(counts.map(item => [String(item.sk), auditCountRecord.parse(item)])),
    partitions: spread?.partitions ?? 1,
  };
}

/**
 * The number of entries of the stream's source: the stored count plus everything newer. Usually the first page covers
 * everything newer and no further read is needed. Otherwise the rest is read, and if there is a lot of it, the new
 * count is stored.
 * @returns undefined if the budget runs out first; the next request continues from there
 */
export async function countEntries(
  organizationId: string,
  { action, partition, newest, firstPageIsLast }: EntryStream,
  counts: ReadonlyMap<string, AuditCountRecord>,
  { nowMs, budget }: Counting,
): Promise<number | undefined> {
  const source = { action, partition };
  const { sk } = keys.auditCount(organizationId, partition, action);
  const known = counts.get(sk);
  const countedTo = known?.countedTo ?? '';
  const nowSeconds = nowMs / 1000;
  const before = sumOf(known?.byExpiryDay ?? {}, nowSeconds);
  const oldest = newest.at(-1)?.sk;
  if (oldest === undefined) return before;
  if (firstPageIsLast || oldest <= countedTo) {
    return before + newest.filter(entry => entry.sk > countedTo && !isExpired(entry, nowSeconds)).length;
  }
  const counted = await countSince(organizationId, source, known, { nowMs, budget });
  if (counted.settled >= worthWriting) await remember(organizationId, source, known, counted.record);
  return counted.isAll ? sumOf(counted.record.byExpiryDay, nowSeconds) + counted.unsettled : undefined;
}

/** The number of entries that have not expired. Pure. */
export function sumOf(byExpiryDay: AuditCountRecord['byExpiryDay'], nowSeconds: number): number {
  return Object.entries(byExpiryDay)
    .filter(([day]) => day === 'never' || Number(day) * daySeconds > nowSeconds)
    .reduce((sum, [, count]) => sum + count, 0);
}

interface Counted {
  /** The count including every settled entry read. */
  record: AuditCountRecord;
  /** How many of those the stored count did not include. */
  settled: number;
  /** Entries that are too recent for the stored count. */
  unsettled: number;
  /** Whether the budget was enough. */
  isAll: boolean;
}

async function countSince(
  organizationId: string,
  { action, partition }: EntrySource,
  known: AuditCountRecord | undefined,
  { nowMs, budget }: Counting,
): Promise<Counted> {
  // A younger entry is recounted by every request, because an earlier one may still be written.
  const settledTo = `${action}#${new Date(nowMs - longestWriteMs).toISOString()}`;
  const { pk, beginsWith } = ranges.auditEntries(organizationId, partition, action);
  const counted: Counted = {
    record: { countedTo: known?.countedTo ?? '', byExpiryDay: { ...known?.byExpiryDay } },
    settled: 0,
    unsettled: 0,
    isAll: true,
  };
  let next: Key | undefined = known === undefined ? undefined : { pk, sk: known.countedTo };
  do {
    if (!takePage(budget)) return { ...counted, isAll: false };
    const range = { pk, beginsWith, pageSize: pageOfCounting, attributes: ['sk', 'expiresAt'] };
    const page = await queryPage(next === undefined ? range : { ...range, startAfter: next });
    for (const entry of page.items as unknown as CountedEntry[]) count(counted, entry, settledTo, nowMs / 1000);
    next = page.next;
  } while (next !== undefined);
  return counted;
}

type CountedEntry = Pick<StoredEntry, 'sk' | 'expiresAt'>;

function count(counted: Counted, entry: CountedEntry, settledTo: string, nowSeconds: number): void {
  if (entry.sk >= settledTo) {
    if (!isExpired(entry, nowSeconds)) counted.unsettled += 1;
    return;
  }
  // Rounded up in case an entry doesn't expire at the end of a day.
  const day = entry.expiresAt === undefined ? 'never' : String(Math.ceil(entry.expiresAt / daySeconds));
  counted.record.byExpiryDay[day] = (counted.record.byExpiryDay[day] ?? 0) + 1;
  counted.record.countedTo = entry.sk;
  counted.settled += 1;
}

/** If another request stored its count first, that one is kept and nothing is counted twice. */
async function remember(
  organizationId: string,
  { action, partition }: EntrySource,
  known: AuditCountRecord | undefined,
  { countedTo, byExpiryDay }: AuditCountRecord,
): Promise<void> {
  const today = Date.now() / 1000 / daySeconds;
  const alive = Object.entries(byExpiryDay).filter(([day]) => day === 'never' || Number(day) > today);
  const record = { countedTo, byExpiryDay: Object.fromEntries(alive) };
  const condition = known === undefined ? isNew : { countedTo: equals(known.countedTo) };
  await transactIfHolds([put(at(auditCountRecord, organizationId, partition, action), record, { if: condition })]);
}
