import type { MemberContext } from '../access/request-context.ts';
import { entryView, listAuditEntries, withinAnswer } from '../audit/list-audit-entries.ts';
import { type AuditEntry, type AuditPagination, maximumOffset } from '../contracts/audit/list-audit-entries.ts';
import { type AuditAction, auditActions } from '../contracts/fields/audit-action.ts';
import { asLongQuestion } from '../limits/long-questions.ts';
import { auditRecord } from '../table/records/audit-entry.ts';
import { readCursor, writeCursor } from './cursor.ts';
import { type EntryFilter, entryFilter } from './entry-filter.ts';
import { earlier, positionOf, readPartitions, type ScanBudget, scanEntries } from './scan-entries.ts';

export interface EntryQuery extends EntryFilter {
  action?: AuditAction | undefined;
  since?: string | undefined;
  until?: string | undefined;
}

interface Search extends EntryQuery {
  limit: number;
  offset: number;
  after?: string | undefined;
}

interface Found {
  entries: AuditEntry[];
  next?: string;
  pagination: AuditPagination;
}

/** Besides the first page of each action, one request reads this many of up to 1 MB to find entries. */
export const pagesToFind = 40;
/** It reads no more than this many of them only to count what does not fit on the page. */
const pagesToCount = 10;
const longestReadingMs = 15_000;

const beginning = '1970-01-01T00:00:00.000Z';
const end = '9999-12-31T23:59:59.999Z';

/**
 * The entries asked for, newest first. A page without a filter reads little, unless its entries are very long; everything
 * else is a long question.
 * @throws invalid_request for an invalid cursor; rate_limited
 */
export async function searchEntries(context: MemberContext, search: Search): Promise<Found> {
  const { limit, offset, action, after, ...filters } = search;
  if (after !== undefined || Object.values(filters).some(filter => filter !== undefined))
    return longSearch(context, search);
  const page = await listAuditEntries(context.organization.id, { limit, offset, action });
  if (page === undefined) return longSearch(context, search);
  const last = page.entries.at(-1);
  const { total } = page.pagination;
  const isCut = total === null || (offset + page.entries.length < total && isBeyondOffsets(search));
  return { ...page, ...(isCut && last !== undefined ? { next: writeCursor({ from: positionOf(last) }) } : {}) };
}

/** Whether no offset reaches the page that follows. Pure. */
function isBeyondOffsets({ offset, limit }: Search): boolean {
  return offset + limit > maximumOffset;
}

function longSearch(context: MemberContext, search: Search): Promise<Found> {
  return asLongQuestion(context, admitted => scan(context, search, admitted));
}

async function scan(context: MemberContext, search: Search, admitted: Promise<unknown>): Promise<Found> {
  const { limit, offset, action, after, since = beginning, until = end, ...filters } = search;
  const begun = after === undefined ? { from: until, skip: offset } : readCursor(after);
  const { skip = 0 } = begun;
  const actions = action === undefined ? auditActions : [action];
  const budget: ScanBudget = { pages: actions.length + pagesToFind, endsAt: Date.now() + longestReadingMs };
  const [keep, partitions] = await Promise.all([
    entryFilter(context, filters, budget),
    readPartitions(context.organization.id, actions),
    admitted,
  ]);
  const { entries: found, readTo } = await scanEntries(
    context.organization.id,
    {
      actions,
      partitions,
      period: { from: since, to: earlier(begun.from, until) },
      newestFirst: true,
      keep,
      // A page that continues has no total.
      enough: { entries: skip + limit, afterPages: after === undefined ? actions.length + pagesToCount : 0 },
    },
    budget,
  );
  const page = found.slice(skip, skip + limit);
  const last = page.at(-1);
  const isAll = readTo === undefined;
  const hasMore = found.length > skip + limit;
  const rest =
    hasMore && last !== undefined
      ? { from: positionOf(last) }
      : { from: readTo ?? beginning, skip: Math.max(0, skip - found.length) };
  const total = isAll && after === undefined ? found.length : null;
  const isCut = total === null ? !isAll || hasMore : hasMore && isBeyondOffsets(search);
  return {
    entries: withinAnswer(page.map(entry => entryView(auditRecord.parse(entry)))),
    ...(isCut ? { next: writeCursor(rest) } : {}),
    pagination: { limit, offset, total },
  };
}
