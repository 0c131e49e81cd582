import type { AuditAction } from '../contracts/fields/audit-action.ts';
import type { Key } from '../table/entity.ts';
import { ranges } from '../table/keys.ts';
import { queryPage } from '../table/read.ts';

/** An entry as stored, with the attributes that determine its order and expiry. */
export interface StoredEntry {
  pk: string;
  sk: string;
  createdAt: string;
  id: string;
  expiresAt?: number;
}

/** The entries of one action in one partition. */
export interface EntrySource {
  readonly action: AuditAction;
  /** Only busy organizations have more than partition 0 (see `audit-partitions.ts`). */
  readonly partition: number;
}

/** The entries of one source that have been read so far, newest first. */
export interface EntryStream extends EntrySource {
  /** Entries that have been read; those from `position` on have not been returned yet. */
  entries: StoredEntry[];
  position: number;
  /** Where the next page starts; undefined after the last page. */
  next: Key | undefined;
  pageSize: number;
  /** The first page, kept for counting, and whether it covers the whole source. */
  readonly newest: readonly StoredEntry[];
  readonly firstPageIsLast: boolean;
}

/** How many pages one request may still read, and until when (epoch milliseconds). All its streams share one budget. */
export interface ReadBudget {
  pages: number;
  endsAt: number;
}

/** Takes a page from the budget. @returns false if the budget is used up */
export function takePage(budget: ReadBudget): boolean {
  budget.pages -= 1;
  return budget.pages >= 0 && Date.now() < budget.endsAt;
}

/** A larger page would be cut off at DynamoDB's 1 MB anyway. */
const largestPage = 2000;

/** Reads the first page of a source. One call. */
export async function openStream(
  organizationId: string,
  { action, partition }: EntrySource,
  pageSize: number,
): Promise<EntryStream> {
  const range = ranges.auditEntries(organizationId, partition, action);
  const page = await queryPage({ ...range, newestFirst: true, pageSize });
  const entries = page.items as unknown as StoredEntry[];
  return {
    action,
    partition,
    entries,
    position: 0,
    next: page.next,
    pageSize,
    newest: entries,
    firstPageIsLast: page.next === undefined,
  };
}

/**
 * Reads the next page, four times as long as the previous one: short lists stay cheap, and long ones take few calls.
 */
async function readOn(organizationId: string, stream: EntryStream): Promise<void> {
  if (stream.next === undefined) return;
  stream.pageSize = Math.min(largestPage, stream.pageSize * 4);
  const page = await queryPage({
    ...ranges.auditEntries(organizationId, stream.partition, stream.action),
    newestFirst: true,
    pageSize: stream.pageSize,
    startAfter: stream.next,
  });
  stream.entries = page.items as unknown as StoredEntry[];
  stream.position = 0;
  stream.next = page.next;
}

const isEmpty = ({ entries, position, next }: EntryStream) => position >= entries.length && next !== undefined;

/**
 * Merges all streams, newest entry first: skips `offset` entries and returns up to `limit`. Expired entries don't
 * count.
 * @returns undefined if the budget ran out before the page was complete
 */
export async function mergeStreams(
  organizationId: string,
  streams: readonly EntryStream[],
  { offset, limit, nowSeconds }: { offset: number; limit: number; nowSeconds: number },
  budget: ReadBudget,
): Promise<StoredEntry[] | undefined> {
  const taken: StoredEntry[] = [];
  let skipped = 0;
  while (taken.length < limit) {
    // The next entry is only known when every stream has its newest one loaded.
    for (let empty = streams.filter(isEmpty); empty.length > 0; empty = streams.filter(isEmpty)) {
      if (!empty.every(() => takePage(budget))) return undefined;
      await Promise.all(empty.map(stream => readOn(organizationId, stream)));
    }
    const entry = takeNewest(streams);
    if (entry === undefined) break;
    if (isExpired(entry, nowSeconds)) continue;
    if (skipped < offset) skipped += 1;
    else taken.push(entry);
  }
  return taken;
}

function takeNewest(streams: readonly EntryStream[]): StoredEntry | undefined {
  let newest: { stream: EntryStream; entry: StoredEntry } | undefined;
  for (const stream of streams) {
    const entry = stream.entries[stream.position];
    if (entry !== undefined && (newest === undefined || isNewer(entry, newest.entry))) newest = { stream, entry };
  }
  if (newest !== undefined) newest.stream.position += 1;
  return newest?.entry;
}

function isNewer(a: StoredEntry, b: StoredEntry): boolean {
  return a.createdAt === b.createdAt ? a.id > b.id : a.createdAt > b.createdAt;
}

/** DynamoDB deletes expired items with a delay, so reads filter them out. */
export function isExpired({ expiresAt }: Pick<StoredEntry, 'expiresAt'>, nowSeconds: number): boolean {
  return expiresAt !== undefined && expiresAt <= nowSeconds;
}
