import type { AuditEntry } from '../contracts/audit/entries.ts';
import { auditRecord } from '../table/records/audit.ts';
import { keysThatFit } from './keys-that-fit.ts';
import type { StoredEntry } from './scan.ts';

/** Lambda limits a response to 6 MB, and a large response is sent as base64. */
export const maximumAnswerBytes = 3_500_000;
const maximumPageBytes = 4 * 1024 * 1024;

/** An entry as clients see it. Pure. */
export function entryView(stored: StoredEntry): AuditEntry {
  const { expiresAt: _, ...entry } = auditRecord.parse(stored);
  return entry;
}

/** Shortens long lists of keys and omits long details if the entries would not fit in one response. Pure. */
export function withinAnswer(entries: readonly AuditEntry[]): AuditEntry[] {
  const size = entries.reduce((bytes, entry) => bytes + Buffer.byteLength(JSON.stringify(entry)), 0);
  if (size <= maximumPageBytes) return [...entries];
  // The other fields of an entry are limited to a few hundred bytes.
  const share = Math.floor(maximumPageBytes / entries.length) - 2048;
  return entries.map(({ details, keys, unchanged, ...entry }) => {
    let left = share;
    let omitted = entry.keysOmitted ?? 0;
    const shorten = (all: readonly string[]) => {
      const fitting = keysThatFit(all, left);
      left -= JSON.stringify(fitting.keys).length;
      omitted += fitting.keysOmitted;
      return [...fitting.keys];
    };
    const shortened = { ...entry, keys: keys && shorten(keys), unchanged: unchanged && shorten(unchanged) };
    const omitsDetails = details !== undefined && Buffer.byteLength(JSON.stringify(details)) > left;
    const keysOmitted = omitted === 0 ? undefined : omitted;
    return { ...shortened, ...(omitsDetails ? { detailsOmitted: true } : { details }), keysOmitted };
  });
}
