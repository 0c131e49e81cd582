import { type EnvironmentPath, ranges } from '../../table/keys.ts';
import { type Item, ofKind, queryItems, queryPages } from '../../table/read.ts';
import type { RevisionPartRecord, RevisionRecord } from '../../table/records/secret.ts';
import { revisionPartRecord, revisionRecord } from '../../table/records/secret.ts';

export type RecordedChange = Omit<RevisionRecord, 'parts' | 'fence'>;

export function readChangesFrom(
  path: EnvironmentPath,
  revision: number,
  to = Number.MAX_SAFE_INTEGER,
): Promise<RecordedChange[]> {
  return readChanges(path, Math.max(0, revision), to);
}

/** The changes from one revision to another, both included. */
export async function readChanges(path: EnvironmentPath, first: number, to: number): Promise<RecordedChange[]> {
  return assemble(await queryItems(ranges.revisions(path, first, to)));
}

/** For the keys in one response. A single change may exceed it: keys that fit in an environment also fit in a response. */
const maximumKeyBytes = 1_500_000;

/** Up to `limit` changes before a revision, newest first; `isCut` if more would not fit in a response. */
export async function readChangesBefore(
  path: EnvironmentPath,
  before: number,
  limit: number,
): Promise<{ changes: RecordedChange[]; isCut: boolean }> {
  const range = { ...ranges.revisions(path, 0, Math.max(0, before - 1)), newestFirst: true, pageSize: limit };
  const items: Item[] = [];
  let count = 0;
  let bytes = 0;
  for await (const page of queryPages(range)) {
    for (const item of page) {
      items.push(item);
      bytes += JSON.stringify([item.created, item.updated, item.deleted]).length;
      // In this order, the parts of a change come before it.
      if (item.kind !== revisionRecord.kind) continue;
      count += 1;
      const isCut = bytes > maximumKeyBytes;
      if (count >= limit || isCut) return { changes: assemble(items), isCut };
    }
  }
  return { changes: assemble(items), isCut: false };
}

/** Joins changes with their parts, and drops parts of changes that never committed. Pure. */
function assemble(items: Item[]): RecordedChange[] {
  const idOf = ({ revision, fence }: RevisionPartRecord) => `${revision} ${fence}`;
  const parts = Map.groupBy(ofKind(revisionPartRecord, items), idOf);
  return items
    .filter(({ kind }) => kind === revisionRecord.kind)
    .map(item => {
      const { parts: count, ...record } = revisionRecord.parse(item);
      const all = [record, ...(parts.get(idOf(record)) ?? [])];
      if (all.length !== count + 1) {
        throw new Error(`Revision ${record.revision} of ${String(item.pk)} has ${all.length - 1} of ${count} parts.`);
      }
      const { fence: _, ...change } = record;
      return {
        ...change,
        created: all.flatMap(({ created }) => created),
        updated: all.flatMap(({ updated }) => updated),
        deleted: all.flatMap(({ deleted }) => deleted),
      };
    });
}

/** The version that each changed key had before the changes, 0 for none. Oldest change first. Pure. */
export function versionsBefore(changes: readonly RecordedChange[]): Map<string, number> {
  const before = new Map<string, number>();
  for (const { created, updated, deleted } of changes) {
    for (const [key, version] of [...created, ...updated, ...deleted]) {
      if (!before.has(key)) before.set(key, version - 1);
    }
  }
  return before;
}
