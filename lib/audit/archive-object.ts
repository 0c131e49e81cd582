import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import type { AuditEntry } from '../contracts/audit/entries.ts';

/** The first line of an object. The other lines are its entries, as the feed returns them, oldest first. */
export interface ArchiveHeader {
  format: 1;
  organization: string;
  /** An organization's objects are numbered from 1 on. */
  number: number;
  /** Two positions (`scan.ts`): the object has every entry between them, including the second. */
  from: string;
  to: string;
  /** The digest of the object before; empty in the first one. */
  previous: string;
  entries: number;
}

/**
 * An object of the archive. The name has the digest of the uncompressed lines, and each object names the digest of the
 * one before, so nothing can be changed or removed without a trace. The same entries always make the same object. Pure.
 */
export function archiveObject(header: ArchiveHeader, entries: readonly AuditEntry[]) {
  const text = [header, ...entries].map(line => `${archiveLine(line)}\n`).join('');
  const digest = digestOf(text);
  return { name: archiveName(header, digest), digest, content: gzipSync(text) };
}

/** With sorted names, because DynamoDB does not promise the order of a map's. */
export function archiveLine(line: ArchiveHeader | AuditEntry): string {
  return JSON.stringify(line, (_, value: unknown) => {
    const isMap = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isMap ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))) : value;
  });
}

export function digestOf(text: string | Uint8Array): string {
  return createHash('sha256').update(text).digest('hex');
}

/** S3 recommends names without colons. */
export function archiveName({ organization, from }: ArchiveHeader, digest: string): string {
  return `${organization}/${from.replace(/#.*/s, '').replaceAll(':', '')}-${digest}.ndjson.gz`;
}
