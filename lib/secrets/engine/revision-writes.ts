import { chunksWithin } from '../../core/chunks-of.ts';
import type { EnvironmentPath } from '../../table/keys.ts';
import { at } from '../../table/read.ts';
import { auditRecord } from '../../table/records/audit.ts';
import type { EnvironmentState } from '../../table/records/environment.ts';
import type { HeadRecord, RevisionPartRecord, RevisionRecord } from '../../table/records/secret.ts';
import { revisionPartRecord, revisionRecord } from '../../table/records/secret.ts';
import { put, type Write } from '../../table/write.ts';
import { isLive } from './read-snapshot.ts';
import type { SizedWrite } from './write-steps.ts';

export interface RevisedChange {
  path: EnvironmentPath;
  state: EnvironmentState;
  /** The heads as of the state's revision, or tombstones, by key; at least those of the changed keys. */
  before: ReadonlyMap<string, HeadRecord>;
  heads: readonly HeadRecord[];
  /** Puts the audit entry, which must be new. */
  audit: Write;
  restored?: number | undefined;
  message?: string | undefined;
  approval?: RevisionApproval | undefined;
}

/** The proposal that the change applies, and who approved it. */
export interface RevisionApproval {
  proposal: NonNullable<RevisionRecord['proposal']>;
  approvedBy: NonNullable<RevisionRecord['approvedBy']>;
}

/** For the keys in one item: far below DynamoDB's 400 KB, and several fit in one step of a large change. */
export const maximumBytesPerPart = 100_000;
/** Room for a version number and the overhead of a list entry. */
const bytesBesideKey = 16;

/** How much of an item a changed key takes. */
export const revisionBytes = (key: string): number => Buffer.byteLength(key) + bytesBesideKey;

/**
 * The writes that record a change: `main` belongs in its commit, with the new digest; `parts` come before, with the
 * keys that don't fit in one item. Pure.
 */
export function revisionWrites(change: RevisedChange): { main: (digest: string) => Write; parts: SizedWrite[] } {
  const { path, state, message, restored, audit, approval } = change;
  const [first, ...others] = partsOfChange(change);
  const { id: changeId, action, from: source } = auditRecord.parse(audit.item ?? {});
  const [head] = change.heads;
  if (first === undefined || head === undefined) throw new Error('A change without a key is not recorded.');
  const revision = state.revision + 1;
  const from = source && { slug: source.slug, revision: source.revision };
  const author = { createdAt: head.updatedAt, createdBy: head.updatedBy };
  const record = { ...first, parts: others.length, changeId, action, message, ...author, from, restored, ...approval };
  return {
    main: digest => put(at(revisionRecord, path, revision), { ...record, digest }),
    parts: others.map((part, index) => ({
      write: put(at(revisionPartRecord, path, revision, index + 1), part),
      bytes: 2 * maximumBytesPerPart,
    })),
  };
}

function partsOfChange({ state, before, heads }: RevisedChange): RevisionPartRecord[] {
  const maximum = { count: Number.POSITIVE_INFINITY, bytes: maximumBytesPerPart };
  const sizeOf = ({ key }: HeadRecord) => ({ count: 1, bytes: revisionBytes(key) });
  return chunksWithin(maximum, heads, sizeOf).map(chunk => {
    const groups = Object.groupBy(chunk, head => kindOf(head, before.get(head.key)));
    const versionsOf = (heads: readonly HeadRecord[] = []) =>
      heads.map(({ key, version }): [string, number] => [key, version]);
    const { created, updated, deleted } = groups;
    const changed = { created: versionsOf(created), updated: versionsOf(updated), deleted: versionsOf(deleted) };
    return { revision: state.revision + 1, fence: state.fence + 1, ...changed };
  });
}

function kindOf(head: HeadRecord, before: HeadRecord | undefined): 'created' | 'updated' | 'deleted' {
  if (!isLive(head)) return 'deleted';
  return isLive(before) ? 'updated' : 'created';
}
