import type * as z from 'zod';
import type { AuditEntry, feedAuditEntries as contract } from '../contracts/audit/entries.ts';
import type { AnswerOf } from '../contracts/contract.ts';
import { auditActions } from '../contracts/fields/audit-action.ts';
import { ApiError } from '../core/errors.ts';
import { asLongQuestion, type LongQuestion, readBudget } from '../limits/long-questions.ts';
import type { OrganizationRecord } from '../table/records/organization.ts';
import { endOfScan, readCursor, writeCursor } from './cursor.ts';
import { entryFilter, type LogContext } from './entry-filter.ts';
import { entryView, maximumAnswerBytes } from './entry-view.ts';
import { completeSince } from './retention.ts';
import { allTime, earlier, later, positionOf, readPartitions, type StoredEntry, scanEntries, timeOf } from './scan.ts';
import { longestWriteMs } from './write.ts';

type FeedQuery = z.infer<typeof contract.query>;
type FeedPage = AnswerOf<typeof contract>;

/** Besides the first page of each action, one request reads this many of up to 1 MB. */
const furtherPages = 20;

/**
 * The entries after a position, oldest first. The feed omits entries so recent that an earlier one may still be
 * written, so a reader that continues from `next` misses none.
 * @throws forbidden, project_not_found; cursor_expired if entries after the position may be gone; invalid_request for an invalid cursor; rate_limited
 */
export async function feedEntries(context: LogContext, query: FeedQuery): Promise<FeedPage> {
  await context.requireManaged(query.project ?? null);
  return asLongQuestion(context, question => readFeed(context, query, question));
}

async function readFeed(
  context: LogContext,
  { limit, action, after, since, until, ...filters }: FeedQuery,
  { admitted }: LongQuestion,
): Promise<FeedPage> {
  const { organization } = context;
  const settledTo = new Date(Date.now() - longestWriteMs).toISOString();
  const actions = action === undefined ? auditActions : [action];
  const budget = readBudget(actions.length + furtherPages);
  const [from, keep, partitions] = await Promise.all([
    startOf(organization, { after, since }),
    entryFilter(context, filters, budget),
    readPartitions(organization.id, actions),
    admitted,
  ]);
  const period = { from, to: earlier(settledTo, until ?? settledTo) };
  const enough = { entries: limit, afterPages: 0 };
  const { entries, readTo } = await scanEntries(organization.id, { actions, partitions, period, keep, enough }, budget);
  const page = cutToFit(entries.slice(0, limit));
  const last = entries[page.length - 1];
  const seenTo = readTo !== undefined && context.isPartial() ? endOfScan(readTo, { last, from }) : readTo;
  const end = page.length < entries.length && last !== undefined ? positionOf(last) : (seenTo ?? period.to);
  // The clock of another process may have been ahead of this one's.
  const next = later(end, from);
  return { entries: page, next: writeCursor({ from: next }), upTo: timeOf(next) };
}

/** The position after which to read. */
async function startOf(organization: OrganizationRecord, { after, since }: Pick<FeedQuery, 'after' | 'since'>) {
  const position = after === undefined ? since : readCursor(after).from;
  const complete = await completeSince(organization, Date.now());
  if (position !== undefined && timeOf(position) >= complete) return position;
  // Nothing has expired since the organization was created, so nothing is missing.
  if (complete <= organization.createdAt) return position ?? allTime.from;
  if (after === undefined) return complete;
  const message = `Entries after this position are no longer retained. Start again with since=${complete}.`;
  throw new ApiError('cursor_expired', message, { details: { since: complete } });
}

/** As many entries as fit in a response. Pure. */
function cutToFit(entries: readonly StoredEntry[]): AuditEntry[] {
  const page: AuditEntry[] = [];
  let bytes = 0;
  for (const stored of entries) {
    const entry = entryView(stored);
    bytes += Buffer.byteLength(JSON.stringify(entry));
    if (bytes > maximumAnswerBytes) break;
    page.push(entry);
  }
  return page;
}
