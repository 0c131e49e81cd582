import { ranges } from '../../table/keys.ts';
import { type Page, queryItems, queryPage } from '../../table/read.ts';
import {
  type RevisionPartRecord,
  type RevisionRecord,
  revisionPartRecord,
  revisionRecord,
} from '../../table/records/revision.ts';
import { type EnvironmentPath, partsOf } from './environment-path.ts';

/** A change as it was recorded, with all of its keys. */
export type RecordedChange = Omit<RevisionRecord, 'parts' | 'fence'>;

/** What the changes from a revision on did, in their order. */
export async function readChangesFrom(path: EnvironmentPath, revision: number): Promise<RecordedChange[]> {
  return assemble(await queryItems(ranges.revisions(...partsOf(path), Math.max(0, revision), Number.MAX_SAFE_INTEGER)));
}

/** What names of keys may take in one answer. One change may exceed it: its keys fit an environment. */
const maximumKeyBytes = 1_500_000;

/** Up to `limit` changes before a revision, newest first; `isCut` where more of their keys would not fit an answer. */
export async function readChangesBefore(
  path: EnvironmentPath,
  before: number,
  limit: number,
): Promise<{ changes: RecordedChange[]; isCut: boolean }> {
  const range = {
    ...ranges.revisions(...partsOf(path), 0, Math.max(0, before - 1)),
    newestFirst: true,
    pageSize: limit,
  };
  const items: Page['items'] = [];
  let next: Page['next'];
  let count = 0;
  let bytes = 0;
  do {
    const page = await queryPage(next === undefined ? range : { ...range, startAfter: next });
    for (const item of page.items) {
      items.push(item);
      bytes += JSON.stringify([item.created, item.updated, item.deleted]).length;
      // The parts of a change come before it in this direction.
      if (item.kind !== revisionRecord.kind) continue;
      count += 1;
      const isCut = bytes > maximumKeyBytes;
      if (count >= limit || isCut) return { changes: assemble(items), isCut };
    }
    next = page.next;
  } while (next !== undefined);
  return { changes: assemble(items), isCut: false };
}

/** Puts changes and their parts together; leaves out parts of changes that never committed. Pure. */
function assemble(items: Page['items']): RecordedChange[] {
  const parts = new Map<string, RevisionPartRecord[]>();
  const idOf = ({ revision, fence }: RevisionPartRecord) => `${revision} ${fence}`;
  for (const item of items) {
    if (item.kind !== revisionPartRecord.kind) continue;
    const part = revisionPartRecord.parse(item);
    parts.set(idOf(part), [...(parts.get(idOf(part)) ?? []), part]);
  }
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

/** Of every key that the changes, in their order, touch: the version before, 0 for none. Pure. */
export function versionsBefore(changes: readonly RecordedChange[]): Map<string, number> {
  const before = new Map<string, number>();
  for (const { created, updated, deleted } of changes) {
    for (const [key, version] of [...created, ...updated, ...deleted]) {
      if (!before.has(key)) before.set(key, version - 1);
    }
  }
  return before;
}
