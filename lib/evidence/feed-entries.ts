import { longestWriteMs } from '../access/audit-write.ts';
import type { MemberContext } from '../access/request-context.ts';
import { knownSince } from '../audit/known-since.ts';
import { entryView } from '../audit/list-audit-entries.ts';
import type { AuditEntry } from '../contracts/audit/list-audit-entries.ts';
import { auditActions } from '../contracts/fields/audit-action.ts';
import { ApiError } from '../core/errors.ts';
import { asLongQuestion } from '../limits/long-questions.ts';
import { auditRecord } from '../table/records/audit-entry.ts';
import { readCursor, writeCursor } from './cursor.ts';
import { entryFilter } from './entry-filter.ts';
import {
  earlier,
  later,
  type Period,
  positionOf,
  type RawEntry,
  readPartitions,
  type ScanBudget,
  scanEntries,
  timeOf,
} from './scan-entries.ts';
import type { EntryQuery } from './search-entries.ts';

interface Following extends EntryQuery {
  limit: number;
  after?: string | undefined;
}

/** Besides the first page of each action, one request reads this many of up to 1 MB. */
const furtherPages = 20;
const longestReadingMs = 15_000;

/** Lambda limits a response to 6 MB, and a large response is sent as base64. An entry has up to 400 KB. */
const maximumAnswerBytes = 3_500_000;

/**
 * The entries after a position, oldest first. The feed ends before the entries that are so young that an earlier one may
 * still be written, so a reader who goes on from `next` misses none.
 * @throws cursor_expired if entries after the position may be gone; invalid_request for an invalid cursor; rate_limited
 */
export function feedEntries(
  context: MemberContext,
  following: Following,
): Promise<{ entries: AuditEntry[]; next: string; upTo: string }> {
  return asLongQuestion(context, admitted => readFeed(context, following, admitted));
}

async function readFeed(
  context: MemberContext,
  { limit, action, after, since, until, ...filters }: Following,
  admitted: Promise<unknown>,
): Promise<{ entries: AuditEntry[]; next: string; upTo: string }> {
  const { organization } = context;
  const nowMs = Date.now();
  const settled = new Date(nowMs - longestWriteMs).toISOString();
  const actions = action === undefined ? auditActions : [action];
  const budget: ScanBudget = { pages: actions.length + furtherPages, endsAt: nowMs + longestReadingMs };
  const [from, keep, partitions] = await Promise.all([
    startOf(context, { after, since }, nowMs),
    entryFilter(context, filters, budget),
    readPartitions(organization.id, actions),
    admitted,
  ]);
  const period: Period = { from, to: earlier(settled, until ?? settled) };
  const { entries: found, readTo } = await scanEntries(
    organization.id,
    { actions, partitions, period, keep, enough: { entries: limit, afterPages: 0 } },
    budget,
  );
  const { entries, last } = cutToFit(found, limit);
  const reached = last === undefined ? (readTo ?? period.to) : positionOf(last);
  // The clock of another process may have been ahead of this one's.
  const next = later(reached, from);
  return { entries, next: writeCursor({ from: next }), upTo: timeOf(next) };
}

/** @returns the position after which to read */
async function startOf(
  { organization }: MemberContext,
  { after, since }: Pick<Following, 'after' | 'since'>,
  nowMs: number,
): Promise<string> {
  const position = after === undefined ? since : readCursor(after).from;
  const complete = new Date(await knownSince(organization, nowMs)).toISOString();
  if (position !== undefined && timeOf(position) >= complete) return position;
  // Nothing has expired since the organization was created, so nothing is missing.
  const isWhole = complete <= organization.createdAt;
  if (after === undefined || isWhole) return isWhole ? (position ?? beginning) : complete;
  throw new ApiError(
    'cursor_expired',
    `Entries after this position are no longer retained. Start again with since=${complete}.`,
    { details: { since: complete } },
  );
}

const beginning = '1970-01-01T00:00:00.000Z';

/** As many entries as a page and a response may have. @returns also the last of them if there are more. Pure. */
function cutToFit(found: readonly RawEntry[], limit: number): { entries: AuditEntry[]; last: RawEntry | undefined } {
  const entries: AuditEntry[] = [];
  let bytes = 0;
  for (const raw of found.slice(0, limit)) {
    const entry = entryView(auditRecord.parse(raw));
    bytes += Buffer.byteLength(JSON.stringify(entry));
    if (bytes > maximumAnswerBytes) break;
    entries.push(entry);
  }
  return { entries, last: entries.length < found.length ? found[entries.length - 1] : undefined };
}
