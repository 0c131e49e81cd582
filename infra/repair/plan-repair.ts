import { addUpTo } from '#lib/secrets/engine/digest.ts';
import { headOf, versionOf } from '#lib/secrets/engine/read-snapshot.ts';
import type { EnvironmentState } from '#lib/table/records/environment.ts';
import type { HeadRecord, VersionRecord } from '#lib/table/records/secret.ts';

/** What happened to one key. */
export interface RepairedKey {
  key: string;
  did: string;
}

export interface RepairPlan {
  /** The heads after the repair. */
  heads: HeadRecord[];
  /** Versions that are missing from the history, or differ there. */
  added: VersionRecord[];
  keys: RepairedKey[];
  wasConsistent: boolean;
}

/**
 * Plans the repair, key by key. Heads get overwritten and history does not, so the history is authoritative up to the
 * head's number: versions above it were never committed. The digest may show that more has to come from the history:
 * missing heads, or newer ones. Pure.
 * @param heads includes those of deleted keys, or their tombstones
 */
export function planRepair(
  state: EnvironmentState,
  heads: readonly HeadRecord[],
  versions: readonly VersionRecord[],
): RepairPlan {
  const histories = new Map<string, VersionRecord[]>();
  for (const version of versions) {
    histories.set(version.key, [...(histories.get(version.key) ?? []), version]);
  }
  const committed = (key: string, upTo: number) =>
    (histories.get(key) ?? []).filter(({ version, revision }) => version <= upTo && revision <= state.revision).at(-1);
  const wasConsistent = addUpTo(
    state.digest,
    heads.filter(head => head.revision <= state.revision),
  );

  const known = new Set(heads.map(({ key }) => key));
  const missing: Repaired[] = [];
  const missingTombstones: Repaired[] = [];
  for (const key of histories.keys()) {
    const version = known.has(key) ? undefined : committed(key, Infinity);
    if (version === undefined) continue;
    const what = version.deleted === true ? 'tombstone' : 'head';
    const did = `the ${what} was missing: rebuilt from version ${version.version}`;
    // The key of an uncommitted deletion still has its head.
    (version.deleted === true ? missingTombstones : missing).push({ key, head: headOf(version), did });
  }
  const repairedUpTo = (upTo: (head: HeadRecord) => number) => [
    ...heads.flatMap(head => repairedHead(head, committed(head.key, upTo(head)), state, wasConsistent)),
    ...missingTombstones,
  ];
  const upToHead = repairedUpTo(({ version }) => version);
  const newest = repairedUpTo(() => Infinity);
  const candidates = [upToHead, [...upToHead, ...missing], newest, [...newest, ...missing]];
  const chosen = candidates.find(candidate => addUpTo(state.digest, present(candidate))) ?? upToHead;
  return {
    heads: present(chosen),
    added: chosen.flatMap(({ added }) => (added === undefined ? [] : [added])),
    keys: chosen.flatMap(({ key, did }) => (did === undefined ? [] : [{ key, did }])),
    wasConsistent,
  };
}

/** One key after the repair: its head, if it has one, and what was repaired. */
interface Repaired {
  key: string;
  head?: HeadRecord;
  added?: VersionRecord;
  did?: string;
}

function present(repaired: readonly Repaired[]): HeadRecord[] {
  return repaired.flatMap(({ head }) => (head === undefined ? [] : [head]));
}

/** @param newest the newest committed version, up to the head's */
function repairedHead(
  head: HeadRecord,
  newest: VersionRecord | undefined,
  { revision }: EnvironmentState,
  headsAreRight: boolean,
): Repaired[] {
  const { key, version } = head;
  if (head.revision > revision) {
    const did = `the head of revision ${head.revision} was never committed`;
    return newest === undefined
      ? [{ key, did: `${did}: removed` }]
      : [{ key, head: headOf(newest), did: `${did}: restored to version ${newest.version}` }];
  }
  const isInHistory = newest?.version === version;
  if (isInHistory && sameVersion(versionOf(head), newest)) return [{ key, head }];
  const follows = version === (newest?.version ?? 0) + 1 && head.revision > (newest?.revision ?? 0);
  if (newest === undefined || (!isInHistory && follows) || headsAreRight) {
    return [{ key, head, added: versionOf(head), did: `version ${version} was missing from the history: added` }];
  }
  return [{ key, head: headOf(newest), did: `the head did not match: rebuilt from version ${newest.version}` }];
}

/** Compares everything but the ciphertext, which a key rotation replaces in either place. */
function sameVersion(one: VersionRecord, other: VersionRecord): boolean {
  const facts = ({ version, revision, fence, deleted, sizeBytes, createdAt, createdBy }: VersionRecord) =>
    JSON.stringify([version, revision, fence, deleted, sizeBytes, createdAt, createdBy.id]);
  return facts(one) === facts(other);
}
