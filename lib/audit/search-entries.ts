import type * as z from 'zod';
import { type listAuditEntries as contract, maximumOffset } from '../contracts/audit/entries.ts';
import type { AnswerOf } from '../contracts/contract.ts';
import { auditActions } from '../contracts/fields/audit-action.ts';
import { asLongQuestion, type LongQuestion, readBudget } from '../limits/long-questions.ts';
import { countEntries, readCounts } from './count-entries.ts';
import { type Cursor, endOfScan, readCursor, writeCursor } from './cursor.ts';
import { entryFilter, type LogContext } from './entry-filter.ts';
import { entryView, withinAnswer } from './entry-view.ts';
import {
  allTime,
  earlier,
  openSources,
  positionOf,
  readPartitions,
  type StoredEntry,
  scanEntries,
  scanSources,
} from './scan.ts';

type Search = z.infer<typeof contract.query>;
type Section = Pick<Search, 'limit' | 'offset'>;
type EntryPage = AnswerOf<typeof contract>;

/** Besides the first page of each action, one request reads this many of up to 1 MB to find entries. */
export const pagesToFind = 40;
/** The same for a list without a filter, and again to count the entries that are not on the page. */
const pagesToList = 10;

/**
 * A page of the audit log, newest first. Without a filter, few reads are enough, unless the entries are very long.
 * @throws forbidden, project_not_found; invalid_request for an invalid cursor; rate_limited
 */
export async function searchEntries(context: LogContext, search: Search): Promise<EntryPage> {
  await context.requireManaged(search.project ?? null);
  const { limit, offset, action, ...conditions } = search;
  const isFiltered = Object.values(conditions).some(condition => condition !== undefined);
  const page = isFiltered ? undefined : await listEntries(context.organization.id, search);
  return page ?? asLongQuestion(context, question => findEntries(context, search, question));
}

/**
 * A page of all entries or of one action. The cost depends on the offset, not on the size of the log. A few actions make
 * up most of a log, so the first read of each is for a fifth of the requested entries. The next page is four times as
 * long, so two round trips are enough even if all entries have the same action.
 * @returns undefined if that takes too many reads
 */
export async function listEntries(organizationId: string, search: Pick<Search, 'action' | 'limit' | 'offset'>) {
  const { limit, offset, action } = search;
  const counting = { nowMs: Date.now(), budget: readBudget(pagesToList) };
  const counts = readCounts(organizationId);
  const partitions = async () => (await counts).partitions;
  const pageSize = Math.min(100, Math.max(10, Math.ceil((offset + limit) / 5)));
  const range = { period: allTime, newestFirst: true, pageSize };
  const sources = openSources(organizationId, action === undefined ? auditActions : [action], partitions, range);
  const order = { keep: () => true, enough: { entries: offset + limit, afterPages: 0 }, isFrugal: true };
  const [{ entries, readTo }, numbers] = await Promise.all([
    scanSources(sources, order, readBudget(sources.length + pagesToList)),
    Promise.all(sources.map(source => countEntries(organizationId, source, counts, counting))),
  ]);
  if (readTo !== undefined && entries.length < offset + limit) return undefined;
  const page = entries.slice(offset, offset + limit);
  const total = totalOf(numbers, search, page.length);
  const last = page.at(-1);
  const hasMore = last !== undefined && (total === null || offset + page.length < total);
  return pageOf(search, page, total, hasMore ? { from: positionOf(last) } : undefined);
}

/** Null if not all sources could be counted, unless the page is the last one. Pure. */
function totalOf(numbers: readonly (number | undefined)[], { limit, offset }: Section, length: number): number | null {
  const counted = numbers.filter(number => number !== undefined);
  if (counted.length < numbers.length) return length < limit && (length > 0 || offset === 0) ? offset + length : null;
  const total = counted.reduce((sum, count) => sum + count, 0);
  // The count may lag behind the entries on this page.
  return length === 0 ? total : Math.max(total, offset + length);
}

async function findEntries(context: LogContext, search: Search, { admitted }: LongQuestion): Promise<EntryPage> {
  const { limit, offset, action, after, since = allTime.from, until = allTime.to, ...filters } = search;
  const { from: start, skip = 0 } = after === undefined ? { from: until, skip: offset } : readCursor(after);
  const actions = action === undefined ? auditActions : [action];
  const budget = readBudget(actions.length + pagesToFind);
  const [keep, partitions] = await Promise.all([
    entryFilter(context, filters, budget),
    readPartitions(context.organization.id, actions),
    admitted,
  ]);
  const period = { from: since, to: earlier(start, until) };
  // A page that continues another has no total.
  const afterPages = after === undefined ? actions.length + pagesToList : 0;
  const enough = { entries: skip + limit, afterPages };
  const scan = { actions, partitions, period, newestFirst: true, keep, enough };
  const { entries, readTo } = await scanEntries(context.organization.id, scan, budget);
  const page = entries.slice(skip, skip + limit);
  const last = page.at(-1);
  const total = readTo === undefined && after === undefined ? entries.length : null;
  if (last !== undefined && entries.length > skip + limit)
    return pageOf(search, page, total, { from: positionOf(last) });
  if (readTo === undefined) return pageOf(search, page, total);
  const seen = { last: entries.at(-1), from: period.to, newestFirst: true };
  const from = context.isPartial() ? endOfScan(readTo, seen) : readTo;
  return pageOf(search, page, total, { from, skip: Math.max(0, skip - entries.length) });
}

/** @param rest where the next page begins. If there is a total, clients use offsets as far as these reach. */
function pageOf({ limit, offset }: Section, page: readonly StoredEntry[], total: number | null, rest?: Cursor) {
  const isReachable = total !== null && offset + limit <= maximumOffset;
  return {
    entries: withinAnswer(page.map(entryView)),
    next: rest === undefined || isReachable ? undefined : writeCursor(rest),
    pagination: { limit, offset, total },
  };
}
