import { spreadAction } from '../access/audit-partitions.ts';
import type { AuditAction } from '../contracts/fields/audit-action.ts';
import type { Key } from '../table/entity.ts';
import { ranges } from '../table/keys.ts';
import { at, find, type Item, queryPage } from '../table/read.ts';
import { auditPartitionsRecord } from '../table/records/audit-partitions.ts';

/*
 * Everything that asks the audit log a question reads it here. Entries are stored by action, then time; a scan reads the
 * ranges of all wanted actions side by side, and ends where all of them have been read.
 *
 * A position is an entry's time and id, as `<createdAt>#<id>`. Positions order the entries of all actions. A time alone
 * is the position before the first entry of that time.
 */

/** An entry as stored, as far as a scan has to look at it. */
export type RawEntry = Item & { action: AuditAction; createdAt: string; id: string; expiresAt?: number };

export interface Scan {
  actions: readonly AuditAction[];
  /** See `readPartitions`. Read by the scan unless its caller has read it beside something else. */
  partitions?: number;
  /** The positions between which to read, neither included. */
  period: Period;
  newestFirst?: boolean;
  /** Undefined if the budget is too small to tell: then the scan ends before the entry. */
  keep: (entry: RawEntry) => Verdict;
  /** The scan ends when it has found this many entries and has read this many pages. */
  enough?: { entries: number; afterPages: number };
}

export type Verdict = boolean | Promise<boolean> | undefined;

export interface Period {
  from: string;
  to: string;
}

/** What one request may read: pages of up to 1 MB, and until when (epoch milliseconds). */
export interface ScanBudget {
  pages: number;
  endsAt: number;
}

interface Source {
  range: { pk: string; between: readonly [string, string] };
  next: Key | undefined;
  pageSize: number;
  /** Every entry up to this position has been read. */
  readTo: string;
  isOpen: boolean;
}

/** Short lists stay cheap, and long ones take few calls: a page is four times as long as the one before. */
const pageSizes = { first: 100, largest: 2000 };

const never = { entries: Number.POSITIVE_INFINITY, afterPages: 0 };

export function positionOf({ createdAt, id }: Pick<RawEntry, 'createdAt' | 'id'>): string {
  return `${createdAt}#${id}`;
}

/** The time of a position. */
export function timeOf(position: string): string {
  const [time = ''] = position.split('#');
  return time;
}

/** The earlier of two positions. */
export function earlier(one: string, other: string): string {
  return one < other ? one : other;
}

export function later(one: string, other: string): string {
  return one < other ? other : one;
}

/**
 * The wanted entries of a period, in order.
 * @returns also the position that it has reached, inclusive; undefined if it has read the whole period
 */
export async function scanEntries(
  organizationId: string,
  { actions, partitions: known, period, newestFirst = false, keep, enough = never }: Scan,
  budget: ScanBudget,
): Promise<{ entries: RawEntry[]; readTo: string | undefined }> {
  if (period.from >= period.to) return { entries: [], readTo: undefined };
  const start = newestFirst ? period.to : period.from;
  const partitions = known ?? (await readPartitions(organizationId, actions));
  const sources = actions.flatMap(action =>
    Array.from({ length: action === spreadAction ? partitions : 1 }, (_, partition): Source => {
      const range = ranges.auditEntriesWithin({ orgId: organizationId, partition, action }, period.from, period.to);
      return { range, next: undefined, pageSize: pageSizes.first, readTo: start, isOpen: true };
    }),
  );
  const isAfter = (one: string, other: string) => (newestFirst ? one < other : one > other);
  const inOrder = (a: RawEntry, b: RawEntry) => (isAfter(positionOf(a), positionOf(b)) ? 1 : -1);
  const nowSeconds = Date.now() / 1000;
  const found: RawEntry[] = [];
  let readTo: string | undefined;
  let pagesRead = 0;
  for (let open = sources; open.length > 0; open = open.filter(({ isOpen }) => isOpen)) {
    budget.pages -= open.length;
    pagesRead += open.length;
    const pages = await Promise.all(open.map(source => readOn(source, newestFirst)));
    const within = pages
      .flat()
      .filter(entry => {
        const isLive = entry.expiresAt === undefined || entry.expiresAt > nowSeconds;
        return isLive && positionOf(entry) > period.from && positionOf(entry) < period.to;
      })
      .toSorted(inOrder);
    const verdicts = within.map(keep);
    const firstUntold = verdicts.indexOf(undefined);
    const told = firstUntold < 0 ? within : within.slice(0, firstUntold);
    const kept = await Promise.all(verdicts.slice(0, told.length).map(async verdict => verdict));
    // Too many for the arguments of one call.
    for (const [index, entry] of told.entries()) if (kept[index]) found.push(entry);
    const ends = sources.filter(({ isOpen }) => isOpen).map(source => source.readTo);
    const lastTold = told.at(-1);
    if (firstUntold >= 0) ends.push(lastTold === undefined ? (readTo ?? start) : positionOf(lastTold));
    readTo = ends.reduce<string | undefined>(
      (first, end) => (first === undefined || isAfter(first, end) ? end : first),
      undefined,
    );
    const isEnough =
      pagesRead >= enough.afterPages &&
      found.filter(entry => readTo === undefined || !isAfter(positionOf(entry), readTo)).length >= enough.entries;
    if (isEnough || firstUntold >= 0 || budget.pages <= 0 || Date.now() > budget.endsAt) break;
  }
  const entries = found.filter(entry => readTo === undefined || !isAfter(positionOf(entry), readTo)).toSorted(inOrder);
  return { entries, readTo };
}

/** In how many partitions entries of these actions may be. */
export async function readPartitions(organizationId: string, actions: readonly AuditAction[]): Promise<number> {
  if (!actions.includes(spreadAction)) return 1;
  return (await find(at(auditPartitionsRecord, organizationId)))?.partitions ?? 1;
}

async function readOn(source: Source, newestFirst: boolean): Promise<RawEntry[]> {
  const { range, next: startAfter, pageSize } = source;
  const page = await queryPage({ ...range, newestFirst, pageSize, startAfter });
  const entries = page.items as RawEntry[];
  const last = entries.at(-1);
  if (last !== undefined) source.readTo = positionOf(last);
  source.next = page.next;
  source.isOpen = page.next !== undefined;
  source.pageSize = Math.min(pageSizes.largest, pageSize * 4);
  return entries;
}
