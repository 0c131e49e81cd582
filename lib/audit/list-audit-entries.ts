import { spreadAction } from '../access/audit-partitions.ts';
import { keysThatFit } from '../access/keys-that-fit.ts';
import type { AuditEntry, AuditPagination } from '../contracts/audit/list-audit-entries.ts';
import { type AuditAction, auditActions } from '../contracts/fields/audit-action.ts';
import { type AuditRecord, auditRecord } from '../table/records/audit-entry.ts';
import { countEntries, readCounts } from './count-entries.ts';
import { type EntrySource, mergeStreams, openStream } from './entry-stream.ts';

/*
 * Entries are keyed by action, then time. A page of one action is a single range read, however rare the action is; a
 * page of all actions merges thirty ranges that are read in parallel, and in a second round trip those of a busy
 * organization's further partitions. The cost of a page depends on its offset, not on
 * the size of the log, and each entry remains one item and one write. An index by action would double that.
 */

/**
 * The first page of each action holds a fifth of the requested entries, because thirty are read in parallel and a few
 * actions make up most of a log. The next page is four times as long, so two round trips are enough even if one action
 * fills the whole page.
 */
const shortestFirstPage = 10;
const longestFirstPage = 100;

/**
 * Pages of up to 1 MB each that one request may read after the first ones, for its entries and for counting. A page that
 * takes more is a search, of which only two run at once. Counting continues in later requests.
 */
const pagesPerRequest = 10;
/** In case they are read slowly: the page must be ready before API Gateway times out after 30 s. */
const longestMs = 15_000;

/** Lambda limits a response to 6 MB, and a large response is sent as base64. */
const maximumAnswerBytes = 4 * 1024 * 1024;

interface PageWanted {
  limit: number;
  offset: number;
  action?: AuditAction | undefined;
}

/** `total` is null if one request can't count all entries. */
interface EntryPage {
  entries: AuditEntry[];
  pagination: AuditPagination;
}

/** A page of the organization's audit log, newest first; undefined if one request can't read as far as the offset. */
export async function listAuditEntries(
  organizationId: string,
  { limit, offset, action }: PageWanted,
): Promise<EntryPage | undefined> {
  const nowMs = Date.now();
  const actions = action === undefined ? auditActions : [action];
  const firstPage = Math.min(longestFirstPage, Math.max(shortestFirstPage, Math.ceil((offset + limit) / 5)));
  const open = (sources: readonly EntrySource[]) =>
    Promise.all(sources.map(source => openStream(organizationId, source, firstPage)));
  const [{ counts, partitions }, first] = await Promise.all([
    readCounts(organizationId),
    open(actions.map(one => ({ action: one, partition: 0 }))),
  ]);
  const streams = [...first, ...(await open(furtherSources(actions, partitions)))];
  const readingBudget = { pages: pagesPerRequest, endsAt: nowMs + longestMs };
  const counting = { nowMs, budget: { pages: pagesPerRequest, endsAt: nowMs + longestMs } };
  const [page, numbers] = await Promise.all([
    mergeStreams(organizationId, streams, { offset, limit, nowSeconds: nowMs / 1000 }, readingBudget),
    Promise.all(streams.map(stream => countEntries(organizationId, stream, counts, counting))),
  ]);
  if (page === undefined) return undefined;
  return {
    entries: withinAnswer(page.map(entry => entryView(auditRecord.parse({ ...entry })))),
    pagination: { limit, offset, total: totalOf(numbers, { limit, offset, found: page.length }) },
  };
}

/** Null if not all sources could be counted, unless the page is the last one. Pure. */
function totalOf(
  numbers: readonly (number | undefined)[],
  { limit, offset, found }: { limit: number; offset: number; found: number },
): number | null {
  const counted = numbers.filter(number => number !== undefined);
  if (counted.length < numbers.length) return found < limit && (found > 0 || offset === 0) ? offset + found : null;
  const total = counted.reduce((sum, count) => sum + count, 0);
  // The count may lag behind the entries on this page.
  return found === 0 ? total : Math.max(total, offset + found);
}

/** Where a busy organization has more entries. Pure. */
function furtherSources(actions: readonly AuditAction[], partitions: number): EntrySource[] {
  if (!actions.includes(spreadAction)) return [];
  return Array.from({ length: partitions - 1 }, (_, index) => ({ action: spreadAction, partition: index + 1 }));
}

/** An entry as clients see it. Pure. */
export function entryView({ expiresAt: _, ...entry }: AuditRecord): AuditEntry {
  return entry;
}

/** Shortens long lists of keys and omits long details, and says so, if the entries would not fit in one response. Pure. */
export function withinAnswer(entries: readonly AuditEntry[]): AuditEntry[] {
  const size = entries.reduce((bytes, entry) => bytes + Buffer.byteLength(JSON.stringify(entry)), 0);
  if (size <= maximumAnswerBytes) return [...entries];
  // Apart from lists of keys and details, an entry is far smaller than this: its other fields are limited to a few
  // hundred bytes.
  const share = Math.floor(maximumAnswerBytes / entries.length) - 2048;
  return entries.map(({ details, keys, unchanged, ...entry }) => {
    let left = share;
    let omitted = entry.keysOmitted ?? 0;
    const shorten = (all: readonly string[]) => {
      const fitting = keysThatFit(all, left);
      left -= JSON.stringify(fitting.keys).length;
      omitted += fitting.keysOmitted;
      return [...fitting.keys];
    };
    const shortened = {
      ...(keys === undefined ? {} : { keys: shorten(keys) }),
      ...(unchanged === undefined ? {} : { unchanged: shorten(unchanged) }),
    };
    const isShort = Buffer.byteLength(JSON.stringify(details ?? {})) <= left;
    const told = isShort ? { details } : { detailsOmitted: true as const };
    return {
      ...entry,
      ...shortened,
      ...(details === undefined ? {} : told),
      ...(omitted === 0 ? {} : { keysOmitted: omitted }),
    };
  });
}
