import { sharedProject } from '../../access/kept-access.ts';
import type { MemberContext } from '../../access/request-context.ts';
import type { EnvironmentPath } from '../../table/keys.ts';
import { at, find } from '../../table/read.ts';
import type { EnvironmentState } from '../../table/records/environment.ts';
import { type ProjectKeys, projectKeysRecord } from '../../table/records/project.ts';
import type { HeadRecord } from '../../table/records/secret.ts';
import { keepSnapshot } from './kept-snapshots.ts';
import { type KeyRing, keyRing, requireKeys } from './key-ring.ts';
import { headsAt, readChangesSince } from './read-past.ts';
import { type BegunSnapshot, beginSnapshot, finishSnapshot, isLive, isUnfinished } from './read-snapshot.ts';
import type { RecordedChange } from './revision-log.ts';
import { readAgainWhileStale } from './stale-read.ts';

export interface EnvironmentReads {
  path: EnvironmentPath;
  project: ProjectKeys | undefined;
  snapshot: BegunSnapshot;
  /** Earlier revisions to read, and the recorded changes from the first of them on. */
  revisions: readonly number[];
  changes: readonly RecordedChange[];
}

export interface LiveSecrets {
  project: ProjectKeys;
  state: EnvironmentState;
  /** The revision of `live`: the first of the requested ones, or the current one. */
  revision: number;
  live: HeadRecord[];
  now: HeadRecord[];
  /** The same at each of the requested revisions. */
  moments: HeadRecord[][];
  ring: KeyRing;
}

/**
 * One round trip, in parallel with authentication.
 * @param revisions earlier revisions to read; none for the current one
 * @param currentState the state, if the request has just read it
 */
export async function beginRead(
  path: EnvironmentPath,
  revisions: readonly number[] = [],
  currentState?: EnvironmentState,
): Promise<EnvironmentReads> {
  const [project, snapshot, changes] = await Promise.all([
    sharedProject(path) ?? find(at(projectKeysRecord, path.orgSlug, path.project)),
    beginSnapshot(path, currentState),
    revisions.length === 0 ? [] : readChangesSince(path, Math.min(...revisions)),
  ]);
  return { path, project, snapshot, revisions, changes };
}

/**
 * Passes a snapshot of an environment's secrets to `use`. Reads again if the items read don't belong together.
 * @param right `see` for responses that reveal no more than the template
 * @param opensValues whether `use` decrypts: the data key is then unwrapped during the rest of a long read
 * @throws project_not_found, environment_not_found, forbidden
 */
export async function readLive<T>(
  { access, organization, log }: MemberContext,
  begun: EnvironmentReads,
  use: (secrets: LiveSecrets) => Promise<T>,
  { right = 'read', opensValues = true }: { right?: 'read' | 'see'; opensValues?: boolean } = {},
): Promise<T> {
  const { path, revisions } = begun;
  return readAgainWhileStale(log, path, async tries => {
    const reads = tries === 0 ? begun : await beginRead(path, revisions);
    const project = access.requireProject(reads.project);
    access.requireEnvironment(reads.snapshot.state, right);
    const ring = keyRing(organization.id, project);
    const [snapshot] = await Promise.all([
      finishSnapshot(reads.snapshot),
      isUnfinished(reads.snapshot) && opensValues ? ring.prepare() : undefined,
    ]);
    if ('page' in reads.snapshot || isUnfinished(reads.snapshot)) keepSnapshot(path, snapshot);
    const past = await Promise.all(revisions.map(revision => headsAt(path, snapshot, reads.changes, revision)));
    const moments = past.map(heads => heads.filter(isLive));
    const now = snapshot.heads.filter(isLive);
    const shown = revisions.length === 0 ? now : moments.flat();
    const valued = shown.filter(({ destroyed }) => destroyed === undefined);
    requireKeys(ring, valued);
    const { state } = snapshot;
    const [revision = state.revision] = revisions;
    return use({ project, state, revision, live: moments[0] ?? now, now, moments, ring });
  });
}
