import type { Key } from '../../table/entity.ts';
import { type EnvironmentPath, keys, ranges } from '../../table/keys.ts';
import { at, find, type Item, ofKind, type Page, queryItems, queryPage, readAll } from '../../table/read.ts';
import { type EnvironmentState, environmentStateRecord } from '../../table/records/environment.ts';
import { type HeadRecord, headRecord, type VersionRecord, versionRecord } from '../../table/records/secret.ts';
import { addUpTo } from './digest.ts';
import { stateAt } from './fencing.ts';
import { hasSnapshot, keptHeads, type Snapshot } from './kept-snapshots.ts';
import { type RecordedChange, readChangesFrom, versionsBefore } from './revision-log.ts';
import { StaleRead } from './stale-read.ts';

/** The first page of the Query that reads an environment: its state, then heads up to 1 MB. Or all heads. */
export interface FirstPage {
  path: EnvironmentPath;
  /** Undefined if there is no such environment, or only items that are still to be erased. */
  state: EnvironmentState | undefined;
  page: Page;
}

export type BegunSnapshot =
  | FirstPage
  | (Pick<FirstPage, 'path' | 'state'> & { kept: readonly HeadRecord[] | undefined });

/**
 * Starts every read of a whole environment. One round trip, in parallel with authentication.
 * @param currentState the state, if the request has just read it
 */
export async function beginSnapshot(path: EnvironmentPath, currentState?: EnvironmentState): Promise<BegunSnapshot> {
  if (currentState === undefined && !hasSnapshot(path)) return readFirstPage(path);
  const state = currentState ?? (await find(stateAt(path)));
  const kept = state === undefined ? [] : keptHeads(path, state);
  if (currentState === undefined || kept !== undefined) return { path, state, kept };
  return { path, state, page: { items: await readSideBySide(path, currentState, undefined), next: undefined } };
}

export async function readFirstPage(path: EnvironmentPath): Promise<FirstPage> {
  const page = await queryPage(ranges.environmentHeads(path));
  return { path, state: stateIn(page), page };
}

/** The state, if the environment's Query begins with it. */
export function stateIn({ items: [first] }: Pick<Page, 'items'>): EnvironmentState | undefined {
  return first?.kind === environmentStateRecord.kind ? environmentStateRecord.parse(first) : undefined;
}

/**
 * Reads the rest and resolves it to one revision: the version before replaces a head stamped later than the state.
 * @throws StaleRead if the items are of different revisions: DynamoDB isolates a transaction from a Query only item by
 * item (Developer Guide, "Isolation levels"), so a reader may see half of a commit
 */
export async function finishSnapshot(begun: BegunSnapshot): Promise<Snapshot> {
  const { path, state } = begun;
  if (state === undefined) throw new Error('A snapshot was started of a missing environment.');
  if ('kept' in begun && begun.kept !== undefined) return { state, heads: begun.kept };
  return { state, heads: await readHeads(path, state, 'page' in begun ? begun.page : undefined) };
}

export function isUnfinished(begun: BegunSnapshot): boolean {
  return 'page' in begun ? begun.page.next !== undefined : begun.kept === undefined;
}

async function readHeads(path: EnvironmentPath, state: EnvironmentState, page: Page | undefined) {
  const isComplete = page !== undefined && page.next === undefined;
  const rest = isComplete ? [] : await readSideBySide(path, state, page?.next);
  const storedHeads = ofKind(headRecord, [...(page?.items ?? []), ...rest]);
  let heads = await resolveHeads(storedHeads, state.revision, requested => readVersions(path, requested));
  if (!addUpTo(state.digest, heads)) {
    // A key deleted during the read no longer has a head. Without this, a read of several pages would rarely resolve
    // while keys are being deleted one after another.
    heads = await headsBefore(path, heads, await readChangesFrom(path, state.revision + 1), state);
  }
  // A current value can't be destroyed, so this version has been replaced since.
  const replaced = heads.find(({ destroyed }) => destroyed === true);
  if (replaced === undefined) return heads;
  throw new StaleRead(`Version ${replaced.version} of ${replaced.key} in environment ${state.id} was destroyed.`);
}

/** The items after the first page, or all of them, cut where the state says. One round trip if no range has more than a page. */
async function readSideBySide(
  path: EnvironmentPath,
  { pages = [] }: Pick<EnvironmentState, 'pages'>,
  startAfter: Key | undefined,
): Promise<Item[]> {
  const firstKey = startAfter?.sk ?? keys.head(path, pages[0]?.from ?? '').sk;
  const cuts = pages.map(({ from }) => from).filter(from => keys.head(path, from).sk > firstKey);
  const headRanges = ['', ...cuts].map((from, index) => ranges.heads(path, from, cuts[index]));
  const parts = await Promise.all(
    headRanges.map((range, index) => queryItems({ ...range, startAfter: index === 0 ? startAfter : undefined })),
  );
  // A cut ends one range and starts the next, which may have read it later.
  return [...new Map(parts.flat().map(item => [item.sk, item])).values()];
}

/**
 * The heads, in key order, as they were before some changes.
 * @param moment the revision before the first of the changes, and its digest
 * @throws StaleRead if a version is missing or the heads don't match the digest
 */
export async function headsBefore(
  path: EnvironmentPath,
  heads: readonly HeadRecord[],
  changes: readonly RecordedChange[],
  { id, revision, digest }: Pick<EnvironmentState, 'id' | 'revision' | 'digest'>,
): Promise<HeadRecord[]> {
  const versions = versionsBefore(changes);
  const requested = [...versions].map(([key, version]) => ({ key, version })).filter(({ version }) => version > 0);
  const records = await readVersions(path, requested);
  // A version of a later revision belongs to a newer environment with these slugs, whose revisions start above.
  const past = [...heads.filter(({ key }) => !versions.has(key)), ...records.map(headOf)]
    .filter(head => head.revision <= revision)
    .sort((a, b) => (a.key < b.key ? -1 : 1));
  if (addUpTo(digest, past)) return past;
  const place = keys.environmentState(path).pk;
  throw new StaleRead(`The heads of environment ${id} (${place}) do not add up to revision ${revision}.`);
}

type VersionId = Pick<VersionRecord, 'key' | 'version'>;

export async function readVersions(path: EnvironmentPath, requested: readonly VersionId[]): Promise<VersionRecord[]> {
  const records = await readAll(requested.map(({ key, version }) => at(versionRecord, path, key, version)));
  return records.filter(record => record !== undefined);
}

/**
 * The heads as they were at `revision`. Every version below a head is committed, so going back one version at a time
 * finds the right one.
 */
export async function resolveHeads(
  heads: readonly HeadRecord[],
  revision: number,
  read: (requested: readonly VersionId[]) => Promise<readonly (VersionRecord | undefined)[]>,
): Promise<HeadRecord[]> {
  const resolved = new Map(heads.map(head => [head.key, head.revision <= revision ? head : undefined]));
  let later: VersionId[] = heads.filter(head => head.revision > revision);
  while (later.length > 0) {
    const earlier = later
      .filter(({ version }) => version > 1)
      .map(({ key, version }) => ({ key, version: version - 1 }));
    later = [];
    for (const record of earlier.length === 0 ? [] : await read(earlier)) {
      if (record === undefined) continue;
      if (record.revision <= revision) resolved.set(record.key, headOf(record));
      else later.push(record);
    }
  }
  return [...resolved.values()].filter(head => head !== undefined);
}

/** The head that the version was while it was the newest one. */
export function headOf(version: VersionRecord): HeadRecord {
  const { keyCreatedAt, createdAt, createdBy, ...same } = version;
  return { ...same, createdAt: keyCreatedAt, updatedAt: createdAt, updatedBy: createdBy };
}

export function versionOf(head: HeadRecord): VersionRecord {
  const { createdAt, updatedAt, updatedBy, ...same } = head;
  return { ...same, keyCreatedAt: createdAt, createdAt: updatedAt, createdBy: updatedBy };
}

export function isLive(head: HeadRecord | undefined): head is HeadRecord {
  return head !== undefined && head.deleted === undefined;
}
