import type { AuditAction } from '../contracts/fields/audit-action.ts';
import type { Key } from '../table/entity.ts';
import { equals, isNew } from '../table/expressions.ts';
import { keys, ranges } from '../table/keys.ts';
import { at, queryItems, queryPage } from '../table/read.ts';
import { type AuditCountRecord, auditCountRecord } from '../table/records/audit-count.ts';
import { ConditionFailed, put, transact } from '../table/write.ts';
import { type EntryStream, isExpired, type ReadBudget, type StoredEntry, takePage } from './entry-stream.ts';

const daySeconds = 86_400;

/**
 * An entry gets its time before it is written, and a write may go on retrying for most of a request's 30 s. Younger
 * entries are counted each time, so that none appears before the place where counting ended.
 */
const settledAfterMs = 60_000;

/** From this many entries on, storing the count is worth a write. */
const worthWriting = 100;

/** Below DynamoDB's 1 MB. DynamoDB Local reads a whole range before it cuts it there, so a bound must be named. */
const pageOfCounting = 1000;

/** What was counted of the actions in earlier requests. One call. */
export async function readCounts(organizationId: string): Promise<Map<string, AuditCountRecord>> {
  const items = await queryItems(ranges.auditCounts(organizationId));
  return new Map(items.map(item => [String(item.sk), auditCountRecord.parse(item)]));
}

/**
 * How many entries of the stream's action there are: those counted earlier, and those since. In general the newest page
 * holds all since, and nothing more is read; else they are read, and if they are many, counted once and for all. Exact,
 * unless the budget ends first: then it is what was counted so far, and the next request goes on from there.
 */
export async function countEntries(
  organizationId: string,
  stream: EntryStream,
  counts: ReadonlyMap<string, AuditCountRecord>,
  nowMs: number,
  budget: ReadBudget,
): Promise<number> {
  const { action, newest } = stream;
  const { sk } = keys.auditCount(organizationId, action);
  const known = counts.get(sk);
  const countedTo = known?.countedTo ?? '';
  const nowSeconds = nowMs / 1000;
  const before = sumOf(known?.byExpiryDay ?? {}, nowSeconds);
  const oldest = newest.at(-1)?.sk;
  if (oldest === undefined) return before;
  if (stream.firstPageIsLast || oldest <= countedTo) {
    return before + newest.filter(entry => entry.sk > countedTo && !isExpired(entry, nowSeconds)).length;
  }
  const counted = await countSince(organizationId, action, known, { nowMs, budget });
  if (counted.settled >= worthWriting) await remember(organizationId, action, known, counted.record);
  return sumOf(counted.record.byExpiryDay, nowSeconds) + counted.unsettled;
}

/** Entries that have not expired. Pure. */
export function sumOf(byExpiryDay: AuditCountRecord['byExpiryDay'], nowSeconds: number): number {
  return Object.entries(byExpiryDay)
    .filter(([day]) => day === 'never' || Number(day) * daySeconds > nowSeconds)
    .reduce((sum, [, count]) => sum + count, 0);
}

interface Counted {
  /** The count with every settled entry read. */
  record: AuditCountRecord;
  /** Of those, how many were not counted before. */
  settled: number;
  /** Entries that are too young for the stored count. */
  unsettled: number;
}

async function countSince(
  organizationId: string,
  action: AuditAction,
  known: AuditCountRecord | undefined,
  { nowMs, budget }: { nowMs: number; budget: ReadBudget },
): Promise<Counted> {
  const settledTo = `${action}#${new Date(nowMs - settledAfterMs).toISOString()}`;
  const { pk, beginsWith } = ranges.auditEntries(organizationId, action);
  const counted: Counted = {
    record: { countedTo: known?.countedTo ?? '', byExpiryDay: { ...known?.byExpiryDay } },
    settled: 0,
    unsettled: 0,
  };
  let next: Key | undefined = known === undefined ? undefined : { pk, sk: known.countedTo };
  do {
    if (!takePage(budget)) break;
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
  // Rounded up, should an entry not expire at the end of a day.
  const day = entry.expiresAt === undefined ? 'never' : String(Math.ceil(entry.expiresAt / daySeconds));
  counted.record.byExpiryDay[day] = (counted.record.byExpiryDay[day] ?? 0) + 1;
  counted.record.countedTo = entry.sk;
  counted.settled += 1;
}

/** If another request was faster, its count is kept, and nothing is counted twice. */
async function remember(
  organizationId: string,
  action: AuditAction,
  known: AuditCountRecord | undefined,
  { countedTo, byExpiryDay }: AuditCountRecord,
): Promise<void> {
  const today = Date.now() / 1000 / daySeconds;
  const alive = Object.entries(byExpiryDay).filter(([day]) => day === 'never' || Number(day) > today);
  const record = { countedTo, byExpiryDay: Object.fromEntries(alive) };
  const condition = known === undefined ? isNew : { countedTo: equals(known.countedTo) };
  try {
    await transact([put(at(auditCountRecord, organizationId, action), record, { if: condition })]);
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error;
  }
}
