import { keys, ranges } from '../../table/keys.ts';
import { at, type Page, queryItems, queryPage, readAll } from '../../table/read.ts';
import { type EnvironmentState, environmentStateRecord } from '../../table/records/environment.ts';
import { type HeadRecord, headRecord, type VersionRecord, versionRecord } from '../../table/records/secret.ts';
import { addUpTo } from './digest.ts';
import { type EnvironmentPath, partsOf } from './environment-path.ts';
import { readChangesFrom, versionsBefore } from './revision-log.ts';
import { StaleRead } from './stale-read.ts';

/** An environment exactly as of `state.revision`. */
export interface Snapshot {
  state: EnvironmentState;
  /** The head of every secret, in key order, and those of deleted keys that were not moved to the tombstones yet. */
  heads: HeadRecord[];
}

/** The beginning of the one Query that reads an environment: its state, then heads up to 1 MB. */
export interface BegunSnapshot {
  path: EnvironmentPath;
  /** Undefined where there is no such environment, or only what an erasure has not come to yet. */
  state: EnvironmentState | undefined;
  page: Page;
}

/**
 * Begins to read a whole environment: the one way in which all of its secrets are read, for answers and for changes.
 * One round trip, which may be made before the caller is known to be allowed.
 */
export async function beginSnapshot(path: EnvironmentPath): Promise<BegunSnapshot> {
  const page = await queryPage(ranges.environmentHeads(...partsOf(path)));
  return { path, state: stateIn(page), page };
}

/** The state at the beginning of the environment's Query. */
export function stateIn({ items: [first] }: Pick<Page, 'items'>): EnvironmentState | undefined {
  return first?.kind === environmentStateRecord.kind ? environmentStateRecord.parse(first) : undefined;
}

/**
 * The rest of the Query, resolved to one revision: a head stamped later than the state is a change in flight, abandoned or
 * just committed, and is replaced by the newest version that is not.
 * @throws StaleRead where the items read are of different revisions: DynamoDB isolates a transaction from a Query only
 * item by item (Developer Guide, "Isolation levels"), so a reader may see half of a commit.
 */
export async function finishSnapshot({ path, state, page }: BegunSnapshot): Promise<Snapshot> {
  if (state === undefined) throw new Error('A snapshot was begun of an environment that is not there.');
  const rest =
    page.next === undefined
      ? []
      : await queryItems({ ...ranges.environmentHeads(...partsOf(path)), startAfter: page.next });
  const read = [...page.items.slice(1), ...rest].map(item => headRecord.parse(item));
  const heads = await resolveHeads(read, state.revision, wanted =>
    readAll(wanted.map(({ key, version }) => at(versionRecord, ...partsOf(path), key, version))),
  );
  if (addUpTo(state.digest, heads)) return withValues({ state, heads });
  const earlier = await withoutLaterChanges(path, state, heads);
  if (!addUpTo(state.digest, earlier)) {
    throw new StaleRead(
      `The heads of environment ${state.id} (${keys.environmentState(...partsOf(path)).pk}) do not add up to revision ${state.revision}.`,
    );
  }
  return withValues({ state, heads: earlier });
}

/** @throws StaleRead where a value was destroyed: what is current can't be, so that version was replaced since */
function withValues(snapshot: Snapshot): Snapshot {
  const gone = snapshot.heads.find(({ destroyed }) => destroyed === true);
  if (gone === undefined) return snapshot;
  throw new StaleRead(`Version ${gone.version} of ${gone.key} in environment ${snapshot.state.id} was destroyed.`);
}

/**
 * The heads without what was changed since the state was read. A key that was deleted since has no head any more, so a
 * reader of many pages would find hardly ever all heads of one revision while keys are deleted one after another.
 */
async function withoutLaterChanges(
  path: EnvironmentPath,
  { revision }: EnvironmentState,
  heads: readonly HeadRecord[],
): Promise<HeadRecord[]> {
  const before = versionsBefore(await readChangesFrom(path, revision + 1));
  const wanted = [...before].filter(([, version]) => version > 0);
  const found = await readAll(wanted.map(([key, version]) => at(versionRecord, ...partsOf(path), key, version)));
  return [
    ...heads.filter(({ key }) => !before.has(key)),
    ...found.filter(version => version !== undefined).map(headOf),
  ].sort((a, b) => (a.key < b.key ? -1 : 1));
}

type VersionId = Pick<VersionRecord, 'key' | 'version'>;

/**
 * The heads as they were at `revision`. Below a head every version is committed, so going back by one until the stamp
 * fits finds the right one; a key without one does not exist.
 */
export async function resolveHeads(
  heads: readonly HeadRecord[],
  revision: number,
  readVersions: (wanted: readonly VersionId[]) => Promise<readonly (VersionRecord | undefined)[]>,
): Promise<HeadRecord[]> {
  const resolved = new Map(heads.map(head => [head.key, head.revision <= revision ? head : undefined]));
  let later: VersionId[] = heads.filter(head => head.revision > revision);
  while (later.length > 0) {
    const before = later
      .map(({ key, version }) => ({ key, version: version - 1 }))
      .filter(({ version }) => version > 0);
    later = [];
    for (const record of before.length === 0 ? [] : await readVersions(before)) {
      if (record === undefined) continue;
      if (record.revision <= revision) resolved.set(record.key, headOf(record));
      else later.push(record);
    }
  }
  return [...resolved.values()].filter(head => head !== undefined);
}

/** The head that a version was while it was the newest. */
export function headOf(version: VersionRecord): HeadRecord {
  const { keyCreatedAt, createdAt, createdBy, ...same } = version;
  return { ...same, createdAt: keyCreatedAt, updatedAt: createdAt, updatedBy: createdBy };
}

/** The version under which a head goes into the history. */
export function versionOf(head: HeadRecord): VersionRecord {
  const { createdAt, updatedAt, updatedBy, ...same } = head;
  return { ...same, keyCreatedAt: createdAt, createdAt: updatedAt, createdBy: updatedBy };
}

export function isLive(head: HeadRecord | undefined): head is HeadRecord {
  return head !== undefined && head.deleted === undefined;
}
