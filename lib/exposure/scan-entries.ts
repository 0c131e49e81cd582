import { spreadAction } from '../access/audit-partitions.ts';
import type { AuditAction } from '../contracts/fields/audit-action.ts';
import type { Key } from '../table/entity.ts';
import { ranges } from '../table/keys.ts';
import { at, find, type Item, queryPage } from '../table/read.ts';
import { auditPartitionsRecord } from '../table/records/audit-partitions.ts';

/** ISO times: `from` is included, `to` is not. */
export interface Period {
  from: string;
  to: string;
}

/** A stored entry, as far as a scan has to look at it. */
export type RawEntry = Item & { action: AuditAction; createdAt: string; expiresAt?: number };

/** What one request may read: pages of up to 1 MB, and until when (epoch milliseconds). */
export interface ScanBudget {
  pages: number;
  endsAt: number;
}

interface Source {
  range: { pk: string; between: readonly [string, string] };
  next: Key | undefined;
  /** Every entry before this time has been read; undefined at the end. */
  readTo: string | undefined;
}

/**
 * The entries of some actions in a period, in no order, that `keep` wants. If the budget runs out, only those before
 * `scannedTo` are returned, and all of those.
 */
export async function scanEntries(
  organizationId: string,
  { actions, period, keep }: { actions: readonly AuditAction[]; period: Period; keep: (entry: RawEntry) => boolean },
  budget: ScanBudget,
): Promise<{ entries: RawEntry[]; scannedTo: string | undefined }> {
  if (period.from >= period.to) return { entries: [], scannedTo: undefined };
  const partitions = (await find(at(auditPartitionsRecord, organizationId)))?.partitions ?? 1;
  const sources = actions.flatMap(action =>
    Array.from({ length: action === spreadAction ? partitions : 1 }, (_, partition): Source => {
      const range = ranges.auditEntriesWithin({ orgId: organizationId, partition, action }, period.from, period.to);
      return { range, next: undefined, readTo: period.from };
    }),
  );
  const nowSeconds = Date.now() / 1000;
  const found: RawEntry[] = [];
  for (let open = sources; open.length > 0; open = open.filter(({ readTo }) => readTo !== undefined)) {
    budget.pages -= open.length;
    const pages = await Promise.all(open.map(readOn));
    const entries = pages.flat().filter(({ expiresAt }) => expiresAt === undefined || expiresAt > nowSeconds);
    for (const entry of entries) if (keep(entry)) found.push(entry);
    if (budget.pages <= 0 || Date.now() > budget.endsAt) break;
  }
  const [scannedTo] = sources.flatMap(({ readTo }) => readTo ?? []).toSorted();
  return {
    entries: scannedTo === undefined ? found : found.filter(({ createdAt }) => createdAt < scannedTo),
    scannedTo,
  };
}

async function readOn(source: Source): Promise<RawEntry[]> {
  const page = await queryPage({ ...source.range, startAfter: source.next });
  const entries = page.items as RawEntry[];
  source.next = page.next;
  source.readTo = page.next === undefined ? undefined : (entries.at(-1)?.createdAt ?? source.readTo);
  return entries;
}
