import type { AuditAction } from '../contracts/fields/audit-action.ts';
import type { ReadBudget } from '../limits/long-questions.ts';
import { ranges } from '../table/keys.ts';
import { at, find, queryPage, type Range } from '../table/read.ts';
import { type AuditRecord, auditPartitionsRecord, unpacked } from '../table/records/audit.ts';
import { auditPartitions, spreadAction } from './partitions.ts';

/*
 * An organization's entries are stored by action, then time, and those of one action may be in several partitions. A
 * scan reads these ranges in parallel, each as a source, and merges them.
 *
 * A position is an entry's time and id, as `<createdAt>#<id>`. Positions order the entries of all actions. A time alone
 * is the position before the first entry of that time.
 */

/** An entry as stored. A scan may read tens of thousands, so they are only parsed once they have been selected. */
export type StoredEntry = AuditRecord & { pk: string; sk: string };

/** Two positions; neither is included. */
export interface Period {
  from: string;
  to: string;
}

export const allTime: Period = { from: '1970-01-01T00:00:00.000Z', to: '9999-12-31T23:59:59.999Z' };

export interface ScanOrder {
  /** Undefined if finding out would exceed the budget; the scan then ends before the entry. */
  keep: (entry: StoredEntry) => Verdict;
  /** The scan ends when it has found this many entries and read this many pages. */
  enough?: { entries: number; afterPages: number };
  /** Read only the source that is furthest behind, instead of all: fewer reads, but more round trips. */
  isFrugal?: boolean;
}

export interface Scan extends ScanOrder {
  actions: readonly AuditAction[];
  /** Read by default; a caller may read it in parallel with something else. */
  partitions?: number;
  period: Period;
  newestFirst?: boolean;
}

export type Verdict = boolean | Promise<boolean> | undefined;

/** The entries of one action in one partition, and how far they have been read. */
export interface Source {
  readonly action: AuditAction;
  readonly partition: number;
  /** Whether the organization has this partition. */
  readonly isStored: () => Promise<boolean>;
  readonly period: Period;
  /** The next page. */
  range: Range;
  readonly firstPage: PromiseWithResolvers<{ entries: readonly StoredEntry[]; isLast: boolean }>;
  /** Every entry up to this position has been read. */
  readTo: string;
  isOpen: boolean;
}

/** Short lists stay cheap, and long ones take few calls: each page is four times as long as the previous one. */
const pageSizes = { first: 100, growth: 4, largest: 2000 };

export function positionOf({ createdAt, id }: Pick<StoredEntry, 'createdAt' | 'id'>): string {
  return `${createdAt}#${id}`;
}

export function timeOf(position: string): string {
  return position.replace(/#.*/s, '');
}

/** The earlier of two positions. */
export function earlier(a: string, b: string): string {
  return a < b ? a : b;
}

export function later(a: string, b: string): string {
  return a < b ? b : a;
}

/**
 * The selected entries of a period, in order.
 * @returns also the position that the scan has reached, inclusive; undefined if it has read the whole period
 */
export async function scanEntries(
  organizationId: string,
  { actions, partitions, period, newestFirst = false, ...order }: Scan,
  budget: ReadBudget,
): Promise<{ entries: StoredEntry[]; readTo: string | undefined }> {
  if (period.from >= period.to) return { entries: [], readTo: undefined };
  const count = partitions ?? (await readPartitions(organizationId, actions));
  return scanSources(openSources(organizationId, actions, count, { period, newestFirst }), order, budget);
}

/** The number of partitions that may have entries of these actions. Only busy organizations have more than one. */
export async function readPartitions(organizationId: string, actions: readonly AuditAction[]): Promise<number> {
  if (!actions.includes(spreadAction)) return 1;
  return (await find(at(auditPartitionsRecord, organizationId)))?.partitions ?? 1;
}

interface SourceRange extends Pick<Range, 'newestFirst' | 'pageSize' | 'attributes'> {
  period: Period;
}

/** @param partitions a function if they are being read; the scan meanwhile reads the first partition */
export function openSources(
  organizationId: string,
  actions: readonly AuditAction[],
  partitions: number | (() => Promise<number>),
  range: SourceRange,
): Source[] {
  const most = typeof partitions === 'number' ? partitions : auditPartitions;
  return actions.flatMap(action =>
    Array.from({ length: action === spreadAction ? most : 1 }, (_, partition) => {
      const isStored = async () =>
        partition === 0 || typeof partitions === 'number' || partition < (await partitions());
      return openSource(organizationId, { action, partition, isStored }, range);
    }),
  );
}

export function openSource(
  organizationId: string,
  { action, partition, isStored }: Pick<Source, 'action' | 'partition' | 'isStored'>,
  { period, ...reading }: SourceRange,
): Source {
  const within = ranges.auditEntriesWithin({ orgId: organizationId, partition, action }, period.from, period.to);
  return {
    action,
    partition,
    isStored,
    period,
    range: { pageSize: pageSizes.first, ...reading, ...within },
    firstPage: Promise.withResolvers(),
    readTo: reading.newestFirst === true ? period.to : period.from,
    isOpen: true,
  };
}

/** Like `scanEntries`. All sources must be read in the same direction. */
export async function scanSources(
  sources: readonly Source[],
  { keep, enough = { entries: Number.POSITIVE_INFINITY, afterPages: 0 }, isFrugal = false }: ScanOrder,
  budget: ReadBudget,
): Promise<{ entries: StoredEntry[]; readTo: string | undefined }> {
  const isAfter = (a: string, b: string) => (sources[0]?.range.newestFirst === true ? a < b : a > b);
  const inOrder = (a: StoredEntry, b: StoredEntry) => (isAfter(positionOf(a), positionOf(b)) ? 1 : -1);
  const first = (positions: readonly string[]) =>
    positions.reduce<string | undefined>((a, b) => (a === undefined || isAfter(a, b) ? b : a), undefined);
  let readTo = first(sources.map(source => source.readTo));
  const isRead = (entry: StoredEntry) => readTo === undefined || !isAfter(positionOf(entry), readTo);
  let selected: StoredEntry[] = [];
  let pagesRead = 0;
  for (let open = sources; open.length > 0 && budget.pages > 0; open = open.filter(({ isOpen }) => isOpen)) {
    const read = isFrugal ? open.filter(source => source.readTo === readTo) : open;
    budget.pages -= read.length;
    pagesRead += read.length;
    const pages = await Promise.all(read.map(readOn));
    const entries = pages.flat().toSorted(inOrder);
    const verdicts = entries.map(keep);
    const undecided = verdicts.indexOf(undefined);
    const decided = undecided < 0 ? entries : entries.slice(0, undecided);
    const kept = await Promise.all(verdicts.slice(0, decided.length).map(async verdict => verdict));
    selected = selected.concat(decided.filter((_, index) => kept[index]));
    const ends = open.filter(({ isOpen }) => isOpen).map(source => source.readTo);
    const lastDecided = decided.at(-1);
    if (undecided >= 0) ends.push(lastDecided === undefined ? (readTo ?? '') : positionOf(lastDecided));
    readTo = first(ends);
    const isEnough = pagesRead >= enough.afterPages && selected.filter(isRead).length >= enough.entries;
    if (isEnough || undecided >= 0 || Date.now() > budget.endsAt) break;
  }
  return { entries: selected.filter(isRead).toSorted(inOrder), readTo };
}

/** The entries of the next page that are within the period and have not expired. */
async function readOn(source: Source): Promise<StoredEntry[]> {
  const { period, range } = source;
  const { items, next } = (await source.isStored()) ? await queryPage(range) : { items: [], next: undefined };
  const entries = items.map(unpacked) as unknown as StoredEntry[];
  source.firstPage.resolve({ entries, isLast: next === undefined });
  const last = entries.at(-1);
  if (last !== undefined) source.readTo = positionOf(last);
  source.isOpen = next !== undefined;
  const pageSize = Math.min(pageSizes.largest, (range.pageSize ?? pageSizes.first) * pageSizes.growth);
  source.range = { ...range, startAfter: next, pageSize };
  const nowSeconds = Date.now() / 1000;
  return entries.filter(entry => {
    const position = positionOf(entry);
    return !isExpired(entry, nowSeconds) && position > period.from && position < period.to;
  });
}

/** DynamoDB deletes expired items with a delay, so reads filter them out. */
export function isExpired({ expiresAt }: Pick<StoredEntry, 'expiresAt'>, nowSeconds: number): boolean {
  return expiresAt !== undefined && expiresAt <= nowSeconds;
}
