import type { MemberContext } from '../access/request-context.ts';
import { type EnvironmentState, environmentStateRecord } from '../table/records/environment.ts';
import { type ProjectRecord, projectRecord } from '../table/records/project.ts';
import { at, readTogether } from '../table/store.ts';
import { type EnvironmentPath, partsOf } from './engine/environment-path.ts';
import { readHistory } from './engine/read-past.ts';
import { beginSnapshot, finishSnapshot, stateIn } from './engine/read-snapshot.ts';
import { type RecordedChange, readChangesBefore } from './engine/revision-log.ts';
import { readAgainWhileStale, StaleRead } from './engine/stale-read.ts';
import { listTombstones } from './engine/tombstones.ts';

interface Query {
  limit: number;
  before?: number | undefined;
}

interface RevisionsReads {
  project?: ProjectRecord | undefined;
  state?: EnvironmentState | undefined;
  recorded: Awaited<ReturnType<typeof readChangesBefore>>;
}

/** One wave, to be begun together with authentication. */
export async function beginRevisions(path: EnvironmentPath, { before, limit }: Query): Promise<RevisionsReads> {
  const [fixed, recorded] = await Promise.all([
    readTogether({
      project: at(projectRecord, path.orgSlug, path.project),
      state: at(environmentStateRecord, ...partsOf(path)),
    }),
    readChangesBefore(path, before ?? Number.MAX_SAFE_INTEGER, limit),
  ]);
  return { ...fixed, recorded };
}

/** A change as it is listed. Of those of before there were records neither the action nor the message is known. */
type Listed = Omit<RecordedChange, 'changeId' | 'digest' | 'action'> & { action?: RecordedChange['action'] };

/** What each change of an environment did, newest first. Names of keys, never a value. */
export async function listRevisions(
  { access, log }: MemberContext,
  path: EnvironmentPath,
  { limit, before }: Query,
  { project, state: found, recorded }: RevisionsReads,
) {
  access.requireProject(project);
  const state = access.requireEnvironment(found, 'read');
  const { firstRevision } = state;
  const newest = Math.min(state.revision, (before ?? Number.MAX_SAFE_INTEGER) - 1);
  const oldestOf = ({ changes, isCut }: RevisionsReads['recorded']) =>
    (isCut ? changes.at(-1)?.revision : undefined) ?? Math.max(firstRevision + 1, newest - limit + 1);
  const listedIn = ({ changes }: RevisionsReads['recorded'], oldest: number): Listed[] =>
    changes.filter(({ revision }) => revision >= oldest && revision <= newest);
  const isWhole = (some: readonly Listed[], oldest: number) => some.length >= newest - oldest + 1;

  let oldest = oldestOf(recorded);
  let shown = listedIn(recorded, oldest);
  if (!isWhole(shown, oldest)) {
    // The records were read beside the state: a change may have come between the two.
    const again = await readChangesBefore(path, newest + 1, limit);
    oldest = oldestOf(again);
    shown = listedIn(again, oldest);
    if (!isWhole(shown, oldest)) shown = await withHistory(log, path, state.id, shown, oldest, newest);
  }
  const revisions = shown.map(({ message, action, created, updated, deleted, ...change }) => ({
    ...change,
    action: action ?? null,
    message: message ?? null,
    created: namesOf(created),
    updated: namesOf(updated),
    deleted: namesOf(deleted),
  }));
  const isLast = newest < oldest || oldest <= firstRevision + 1;
  return { revisions, next: isLast ? null : oldest };
}

function namesOf(changed: readonly (readonly [key: string, version: number])[]): string[] {
  return changed.map(([key]) => key).sort();
}

/** Adds, from the versions that they wrote, the changes that were not recorded. */
async function withHistory(
  log: MemberContext['log'],
  path: EnvironmentPath,
  environmentId: string,
  recorded: readonly Listed[],
  oldest: number,
  newest: number,
): Promise<Listed[]> {
  const known = new Set(recorded.map(({ revision }) => revision));
  // The heads first: what is below one that was read is committed.
  const { heads } = await readAgainWhileStale(log, { ...path }, async () => {
    const page = await beginSnapshot(path);
    if (stateIn(page)?.id !== environmentId) throw new StaleRead(`Environment ${environmentId} is gone.`);
    return finishSnapshot(path, page);
  });
  const versions = await readHistory(path, [...heads, ...(await listTombstones(path, heads))]);
  const deletions = new Set(versions.filter(({ deleted }) => deleted).map(({ key, version }) => `${key}#${version}`));
  const derived = new Map<number, Listed>();
  for (const { key, version, revision, deleted, createdAt, createdBy } of versions) {
    if (revision < oldest || revision > newest || known.has(revision)) continue;
    const change = derived.get(revision) ?? {
      revision,
      createdAt,
      createdBy,
      created: [],
      updated: [],
      deleted: [],
    };
    derived.set(revision, change);
    const isNew = version === 1 || deletions.has(`${key}#${version - 1}`);
    change[deleted === true ? 'deleted' : isNew ? 'created' : 'updated'].push([key, version]);
  }
  return [...recorded, ...derived.values()].sort((a, b) => b.revision - a.revision);
}
