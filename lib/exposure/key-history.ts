import type { Log } from '../core/logger.ts';
import { beginSnapshot, finishSnapshot, isLive } from '../secrets/engine/read-snapshot.ts';
import { type RecordedChange, readChangesFrom } from '../secrets/engine/revision-log.ts';
import { readAgainWhileStale, StaleRead } from '../secrets/engine/stale-read.ts';
import type { EnvironmentPath } from '../table/keys.ts';
import type { AuditRecord } from '../table/records/audit.ts';
import { proposalOf, writingActions } from './sights.ts';

export interface KeyVersion {
  version: number;
  /** The revision that wrote it; 0 if that is older than the changes that were read. */
  revision: number;
  /** Undefined if older than the changes that were read. */
  createdAt: string | undefined;
  hasValue: boolean;
  /** The revision whose value it restores. */
  restored?: number | undefined;
  /** Who sent the value. Absent for a promotion, a restoration or a repair. */
  writtenBy?: { id: string; email: string } | undefined;
  /** The proposal whose value it is. */
  proposal?: string | undefined;
}

/** Each key's versions, oldest first. A key that did not change has one, with revision 0. */
export type KeyHistory = ReadonlyMap<string, readonly KeyVersion[]>;

/** The version that a key had at a revision, if it had a value. Pure. */
export function versionAt(versions: readonly KeyVersion[], revision: number): KeyVersion | undefined {
  let [low, high] = [0, versions.length];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if ((versions[middle]?.revision ?? 0) <= revision) low = middle + 1;
    else high = middle;
  }
  const version = versions[low - 1];
  return version?.hasValue === true ? version : undefined;
}

/** For each version, the one that first had its value: a restored version has the value of an earlier one. Pure. */
export function originsOf(versions: readonly KeyVersion[]): ReadonlyMap<number, number> {
  const origins = new Map<number, number>();
  for (const { version, restored } of versions) {
    const source = restored === undefined ? undefined : versionAt(versions, restored);
    origins.set(version, origins.get(source?.version ?? 0) ?? version);
  }
  return origins;
}

/** The history since a revision, or since the earliest one restored; undefined if the environment no longer exists. */
export async function readKeyHistory(log: Log, path: EnvironmentPath, environmentId: string, from: number) {
  return readAgainWhileStale(log, path, async () => {
    const snapshot = await beginSnapshot(path);
    if (snapshot.state?.id !== environmentId || snapshot.state.status !== 'active') return undefined;
    const { state, heads } = await finishSnapshot(snapshot);
    const earliest = state.firstRevision + 1;
    let since = Math.max(from + 1, earliest);
    for (;;) {
      const changes = (await readChangesFrom(path, since)).filter(({ revision }) => revision <= state.revision);
      if (changes.length !== Math.max(0, state.revision - since + 1)) {
        throw new StaleRead(`Environment ${state.id} lacks records of its changes from revision ${since} on.`);
      }
      const restored = changes.reduce((first, change) => Math.min(first, change.restored ?? first), since);
      const target = Math.max(earliest, restored + 1);
      if (target >= since) return historyFrom(heads.filter(isLive), changes);
      since = target;
    }
  });
}

/** Pure. */
export function historyFrom(
  live: readonly { key: string; version: number }[],
  changes: readonly Omit<RecordedChange, 'digest' | 'changeId'>[],
): KeyHistory {
  const history = new Map<string, KeyVersion[]>();
  const add = (change: (typeof changes)[number], kind: 'created' | 'updated' | 'deleted') => {
    for (const [key, version] of change[kind]) {
      const { revision, createdAt, restored, action, createdBy, proposal } = change;
      const previous = { version: version - 1, revision: 0, createdAt: undefined, hasValue: kind !== 'created' };
      const versions: KeyVersion[] = history.get(key) ?? (version === 1 ? [] : [previous]);
      const isSent = writingActions.has(action) || proposal?.holds === 'changes';
      const writtenBy = isSent ? (createdBy ?? undefined) : undefined;
      const hasValue = kind !== 'deleted';
      versions.push({ version, revision, createdAt, hasValue, restored, writtenBy, proposal: proposal?.id });
      history.set(key, versions);
    }
  };
  for (const change of changes) for (const kind of ['created', 'updated', 'deleted'] as const) add(change, kind);
  for (const { key, version } of live) {
    if (!history.has(key)) history.set(key, [{ version, revision: 0, createdAt: undefined, hasValue: true }]);
  }
  return history;
}

/**
 * The history of an erased environment according to the audit entries of its changes, oldest first. If an entry doesn't
 * say whether it set or deleted a key, the key counts as set. Without the oldest entries, all versions are 0. Pure.
 */
export function historyOfEntries(entries: readonly AuditRecord[], isWhole: boolean): KeyHistory {
  const history = new Map<string, KeyVersion[]>();
  for (const entry of entries) {
    const { action, createdAt, revision = 0, keys = [] } = entry;
    const proposal = action === 'proposal.applied' ? proposalOf(entry) : undefined;
    const hasValue = action !== 'secret.deleted' && action !== 'secret.bulk_delete';
    for (const key of keys) {
      const versions = history.get(key) ?? [];
      versions.push({ version: isWhole ? versions.length + 1 : 0, revision, createdAt, hasValue, proposal });
      history.set(key, versions);
    }
  }
  return history;
}
