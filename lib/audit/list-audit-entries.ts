import { keysThatFit } from '../access/keys-that-fit.ts';
import type { AuditEntry } from '../contracts/audit/audit-entry.ts';
import { type AuditAction, auditActions } from '../contracts/fields/audit-action.ts';
import type { Pagination } from '../contracts/fields/pagination.ts';
import { invalidRequest } from '../core/errors.ts';
import { type AuditRecord, auditRecord } from '../table/records/audit-entry.ts';
import { countEntries, readCounts } from './count-entries.ts';
import { mergeStreams, openStream } from './entry-stream.ts';

/*
 * Entries are keyed by action and then time. So a page of one action is one range, however rare the action is in a large
 * log; a page of all actions merges thirty ranges, side by side. What a page costs grows with its offset and not with
 * the log, and an entry stays one item and one write, which an index by action would double.
 */

/**
 * First pages of the actions: a fifth of what is wanted, since thirty are read at once and a log is mostly of a few
 * actions. A next page is four times as long, so that two waves bring the whole page even where one action fills it.
 */
const shortestFirstPage = 10;
const longestFirstPage = 100;

/** Pages of up to 1 MB each that one request may read beyond the first ones, for its page and for counting. */
const pagesPerRequest = 40;

/** The page must come before API Gateway's 30 s are over; counting can go on in later requests. */
const longestReadingMs = 20_000;
const longestCountingMs = 4_000;

/** Lambda answers with 6 MB at the most, and a large answer travels in base64. */
const maximumAnswerBytes = 4 * 1024 * 1024;

interface PageWanted {
  limit: number;
  offset: number;
  action?: AuditAction | undefined;
}

/** A page of the organization's audit log, newest first. @throws invalid_request for an offset that is out of reach */
export async function listAuditEntries(
  organizationId: string,
  { limit, offset, action }: PageWanted,
): Promise<{ entries: AuditEntry[]; pagination: Pagination }> {
  const nowMs = Date.now();
  const actions = action === undefined ? auditActions : [action];
  const firstPage = Math.min(longestFirstPage, Math.max(shortestFirstPage, Math.ceil((offset + limit) / 5)));
  const [counts, streams] = await Promise.all([
    readCounts(organizationId),
    Promise.all(actions.map(one => openStream(organizationId, one, firstPage))),
  ]);
  const readingBudget = { pages: pagesPerRequest, endsAt: nowMs + longestReadingMs };
  const countingBudget = { pages: pagesPerRequest, endsAt: nowMs + longestCountingMs };
  const [page, numbers] = await Promise.all([
    mergeStreams(organizationId, streams, { offset, limit, nowSeconds: nowMs / 1000 }, readingBudget),
    Promise.all(streams.map(stream => countEntries(organizationId, stream, counts, nowMs, countingBudget))),
  ]);
  if (page === undefined) {
    throw invalidRequest([
      { path: 'offset', message: 'reaches further than one request can read; choose a smaller one, or an action' },
    ]);
  }
  const total = numbers.reduce((sum, count) => sum + count, 0);
  return {
    entries: withinAnswer(page.map(entry => entryView(auditRecord.parse({ ...entry })))),
    // The count may be behind what this page already shows.
    pagination: { limit, offset, total: page.length === 0 ? total : Math.max(total, offset + page.length) },
  };
}

function entryView({ expiresAt: _, ...entry }: AuditRecord): AuditEntry {
  return entry;
}

/** Shortens long lists of keys, and omits long details, where all together they would not fit the answer. Pure. */
export function withinAnswer(entries: readonly AuditEntry[]): AuditEntry[] {
  const size = entries.reduce((bytes, entry) => bytes + Buffer.byteLength(JSON.stringify(entry)), 0);
  if (size <= maximumAnswerBytes) return [...entries];
  // Entries are far smaller than this but for keys and details: other fields have bounds of some hundred bytes.
  const share = Math.floor(maximumAnswerBytes / entries.length) - 2048;
  return entries.map(({ details, ...others }) => {
    const isShort = Buffer.byteLength(JSON.stringify(details ?? {})) <= share;
    const entry = details === undefined || !isShort ? others : { ...others, details };
    if (entry.keys === undefined) return entry;
    const { keys, keysOmitted } = keysThatFit(entry.keys, share);
    const omitted = keysOmitted + (entry.keysOmitted ?? 0);
    return { ...entry, keys: [...keys], ...(omitted === 0 ? {} : { keysOmitted: omitted }) };
  });
}
