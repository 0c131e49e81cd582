import type { AuditEntry } from '@holdfast/contracts/audit/entries.ts';

interface LogPage {
  entries: readonly AuditEntry[];
  next?: string | undefined;
  pagination: { total: number | null };
}

/**
 * Loads entries, newest first, until there are `most`. Entries that arrive meanwhile move the pages, so each is taken
 * once. Pure.
 * @returns `isWhole`: whether these are all
 */
export async function newestEntries(
  load: (from: { offset: number } | { after: string }) => Promise<LogPage>,
  most: number,
): Promise<{ entries: readonly AuditEntry[]; isWhole: boolean }> {
  const found = new Map<string, AuditEntry>();
  let offset = 0;
  let next: string | undefined;
  for (;;) {
    const page = await load(next === undefined ? { offset } : { after: next });
    for (const entry of page.entries) found.set(entry.id, entry);
    offset += page.entries.length;
    next = page.next;
    const isLast = next === undefined && (page.pagination.total ?? 0) <= offset;
    const isStuck = next === undefined && page.entries.length === 0;
    if (isLast || isStuck || found.size >= most)
      return { entries: [...found.values()].slice(0, most), isWhole: isLast && found.size <= most };
  }
}
