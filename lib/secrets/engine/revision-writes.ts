import { at } from '../../table/read.ts';
import { auditRecord } from '../../table/records/audit-entry.ts';
import type { EnvironmentState } from '../../table/records/environment.ts';
import { type RevisionPartRecord, revisionPartRecord, revisionRecord } from '../../table/records/revision.ts';
import type { HeadRecord } from '../../table/records/secret.ts';
import { put, type Write } from '../../table/write.ts';
import { type EnvironmentPath, partsOf } from './environment-path.ts';
import { isLive } from './read-snapshot.ts';
import type { SizedWrite } from './write-steps.ts';

/** What a change tells about itself. */
interface RevisedChange {
  path: EnvironmentPath;
  state: EnvironmentState;
  /** The heads as of the state's revision, by key; those of the change at least. */
  before: ReadonlyMap<string, HeadRecord>;
  /** The new heads. */
  heads: readonly HeadRecord[];
  /** Puts the audit entry. */
  audit: Write;
  /** The revision that the change restores. */
  restored?: number | undefined;
  /** Why the change is made. */
  message?: string | undefined;
}

/** What names of keys may take in one item: far below DynamoDB's 400 KB, and several fit a step of a large change. */
const maximumBytesPerPart = 100_000;
/** A number and the overhead of an entry of a list. */
const bytesBesideKey = 16;

/**
 * The writes that record a change: `main` in its commit, given the digest after it, and before that the parts, which only
 * a change with more keys than fit one transaction has. Pure.
 */
export function revisionWrites(change: RevisedChange): { main: (digest: string) => Write; parts: SizedWrite[] } {
  const { path, state, message, restored, audit } = change;
  const [first, ...others] = partsOfChange(change);
  const { id, action, from } = auditRecord.parse(audit.item ?? {});
  const [head] = change.heads;
  if (first === undefined || head === undefined) throw new Error('A change without a key is not recorded.');
  const revision = state.revision + 1;
  return {
    main: digest =>
      put(at(revisionRecord, ...partsOf(path), revision), {
        ...first,
        parts: others.length,
        digest,
        changeId: id,
        action,
        ...(message === undefined ? {} : { message }),
        createdAt: head.updatedAt,
        createdBy: head.updatedBy,
        ...(from === undefined ? {} : { from: { slug: from.slug, revision: from.revision } }),
        ...(restored === undefined ? {} : { restored }),
      }),
    parts: others.map((part, index) => ({
      write: put(at(revisionPartRecord, ...partsOf(path), revision, index + 1), part),
      bytes: 2 * maximumBytesPerPart,
    })),
  };
}

function partsOfChange({ state, before, heads }: RevisedChange): RevisionPartRecord[] {
  const parts: RevisionPartRecord[] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const head of heads) {
    const size = Buffer.byteLength(head.key) + bytesBesideKey;
    if (bytes + size > maximumBytesPerPart) {
      parts.push({ revision: state.revision + 1, fence: state.fence + 1, created: [], updated: [], deleted: [] });
      bytes = 0;
    }
    bytes += size;
    parts.at(-1)?.[kindOf(head, before.get(head.key))].push([head.key, head.version]);
  }
  return parts;
}

function kindOf(head: HeadRecord, before: HeadRecord | undefined): 'created' | 'updated' | 'deleted' {
  if (!isLive(head)) return 'deleted';
  return isLive(before) ? 'updated' : 'created';
}
