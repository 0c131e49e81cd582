import type { components, paths } from './api-types.ts';
import { type AuditEntry, limits } from './audit-log.ts';
import type { CallOptions, WatchOptions } from './environment-options.ts';
import { HoldfastError } from './errors.ts';
import type { Holdfast } from './holdfast.ts';
import { isOutage } from './latest.ts';
import { pause } from './transport.ts';

type FeedQuery = NonNullable<paths['/v1/audit/{orgId}/feed']['get']['parameters']['query']>;
type Answer = components['schemas']['FeedAuditEntriesResponse'];

/** `limit` is the size of a page, 1,000 by default. The feed ends at `until`, and without it never. */
export interface FeedOptions extends FeedQuery, Pick<WatchOptions, 'intervalMs' | 'onError'>, CallOptions {
  /** The `cursor` of a page or an entry, after which to go on. Then `since` has no effect. */
  after?: string;
}

export interface FeedPage {
  /** Oldest first. Each has the cursor that goes on after it. */
  entries: (AuditEntry & { cursor: string })[];
  /** Goes on after this page. */
  cursor: string;
  /** Every matching entry from before this time has been returned. */
  upTo: string;
  /** If entries before this page are no longer retained: the period in which some may be missing. */
  missing?: { from: string; to: string };
}

/** A position in the feed. */
interface Place {
  /** The service's cursor. */
  next: string;
  /** The time that it stands for, or that of the entry. */
  atMs: number;
  /** Entries up to this one, which is after `next`, have been returned. */
  entryId?: string | undefined;
}

const beginning = '1970-01-01T00:00:00.000Z';

/**
 * Follows an organization's audit log, oldest entry first: yields pages as they come, and empty ones whose cursor is
 * further on. Whoever stores a page together with its cursor, or an entry with its own, gets every entry exactly once.
 * Outages are survived once the service has answered. If entries are no longer retained, the next page says so.
 *
 * @throws TypeError for an `after` that is no cursor
 *
 * @example for await (const { entries, cursor } of auditFeed(hf, organizationId, { after })) await store(entries, cursor);
 */
export function auditFeed(
  client: Holdfast,
  organizationId: string,
  { intervalMs = 10_000, after, ...options }: FeedOptions = {},
): AsyncGenerator<FeedPage, void, undefined> {
  if (!(intervalMs > 0)) throw new RangeError('intervalMs must be above 0.');
  const begun = after === undefined ? undefined : readCursor(after);
  return pagesOf(client, organizationId, { ...options, intervalMs, begun });
}

interface Following extends Omit<FeedOptions, 'after'> {
  intervalMs: number;
  begun: Place | undefined;
}

async function* pagesOf(
  client: Holdfast,
  organizationId: string,
  { begun, since, limit = 1000, intervalMs, signal, onError, ...filters }: Following,
): AsyncGenerator<FeedPage, void, undefined> {
  const ask = (query: FeedQuery): Promise<Answer> =>
    client.request('GET', '/v1/audit/{orgId}/feed', {
      path: { orgId: organizationId },
      query,
      limits,
      ...(signal === undefined ? {} : { signal }),
    });
  let place = begun;
  let from = begun === undefined ? since : timeAt(begun.atMs);
  let missing: FeedPage['missing'];
  let hasAnswered = false;
  let polledAt = performance.now();
  while (!signal?.aborted) {
    let waitMs = intervalMs;
    try {
      if (place === undefined) {
        // A page of no entries, for its cursor: only a cursor shows later that retention has passed it by.
        const { next, upTo } = await ask({ since: from ?? beginning, until: from ?? beginning, limit: 1 });
        place = { next, atMs: Date.parse(upTo) };
        if (from !== undefined && Date.parse(from) < place.atMs) missing = { from, to: upTo };
      }
      const answer = await ask({ ...filters, limit, after: place.next });
      hasAnswered = true;
      const upToMs = Date.parse(answer.upTo);
      const now = performance.now();
      // More is there already if the page was cut after an entry, or if it has moved on faster than time passes.
      const isCut = answer.entries.at(-1)?.createdAt === answer.upTo;
      if (isCut || upToMs - place.atMs > now - polledAt + 1000) waitMs = 0;
      polledAt = now;
      const entries = withCursors(answer, place, begun);
      // A page may end before the entry after which to go on.
      const isBefore = begun?.entryId !== undefined && upToMs <= begun.atMs;
      place = isBefore ? { ...begun, next: answer.next } : { next: answer.next, atMs: upToMs };
      yield { entries, cursor: writeCursor(place), upTo: answer.upTo, ...(missing === undefined ? {} : { missing }) };
      missing = undefined;
      if (filters.until !== undefined && upToMs >= Date.parse(filters.until)) return;
    } catch (error) {
      if (signal?.aborted) return;
      if (place !== undefined && error instanceof HoldfastError && error.code === 'cursor_expired') {
        from = timeAt(place.atMs);
        place = undefined;
        continue;
      }
      if (!hasAnswered || !isOutage(error)) throw error;
      onError?.(error);
      waitMs = Math.max(waitMs, error.retryAfterMs ?? 0);
    }
    try {
      await pause(waitMs, signal);
    } catch {
      return;
    }
  }
}

/** The entries that were not returned before, each with the cursor that goes on after it. Pure. */
function withCursors(
  { entries, next }: Answer,
  { next: before }: Place,
  begun: Place | undefined,
): FeedPage['entries'] {
  const fresh = entries.filter(entry => begun?.entryId === undefined || isAfter(entry, begun.atMs, begun.entryId));
  return fresh.map((entry, index) => {
    const atMs = Date.parse(entry.createdAt);
    const isLast = index === fresh.length - 1;
    return { ...entry, cursor: writeCursor({ next: isLast ? next : before, atMs, entryId: entry.id }) };
  });
}

/** The feed is in the order of its entries' times, then of their ids. */
function isAfter({ createdAt, id }: AuditEntry, atMs: number, entryId: string): boolean {
  const ms = Date.parse(createdAt);
  return ms > atMs || (ms === atMs && id > entryId);
}

const timeAt = (ms: number): string => new Date(ms).toISOString();

const writeCursor = ({ next, atMs, entryId }: Place): string =>
  [next, String(atMs), ...(entryId === undefined ? [] : [entryId])].join('.');

/** @throws TypeError for a text that is none */
function readCursor(text: string): Place {
  const [, next, atMs, entryId] = /^([\w-]{1,1024})\.(-?\d{1,15})(?:\.([0-9a-f-]{36}))?$/.exec(text) ?? [];
  if (next === undefined) throw new TypeError('after must be the cursor of a page or an entry.');
  return { next, atMs: Number(atMs), entryId };
}
