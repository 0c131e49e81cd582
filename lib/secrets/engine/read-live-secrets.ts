import type { MemberContext } from '../../access/request-context.ts';
import { at, find } from '../../table/read.ts';
import type { EnvironmentState } from '../../table/records/environment.ts';
import { type ProjectRecord, projectRecord } from '../../table/records/project.ts';
import type { HeadRecord } from '../../table/records/secret.ts';
import type { EnvironmentPath } from './environment-path.ts';
import { type KeyRing, keyRing } from './key-ring.ts';
import { headsAt } from './read-past.ts';
import { type BegunSnapshot, beginSnapshot, finishSnapshot, isLive } from './read-snapshot.ts';
import { type RecordedChange, readChangesFrom } from './revision-log.ts';
import { readAgainWhileStale, StaleRead } from './stale-read.ts';

/** The reads of an environment's secrets, begun before their caller is known to be allowed. */
export interface EnvironmentReads {
  path: EnvironmentPath;
  project: ProjectRecord | undefined;
  snapshot: BegunSnapshot;
  /** Earlier revisions that are to be read, with what was recorded from the first of them on. */
  past?: { revisions: readonly number[]; changes: RecordedChange[] };
}

/** The secrets of an environment at one revision, with the means to open them. */
export interface LiveSecrets {
  project: ProjectRecord;
  state: EnvironmentState;
  /** The revision that `live` is of: the first one wanted, or the current one. */
  revision: number;
  /** The heads of the secrets that exist, in key order. */
  live: HeadRecord[];
  /** The same of the current revision. */
  now: HeadRecord[];
  /** The same of each of the revisions that were wanted. */
  moments: HeadRecord[][];
  ring: KeyRing;
}

/**
 * One round trip, to be begun together with authentication.
 * @param revisions earlier revisions to read; the current one where there are none
 */
export async function beginRead(path: EnvironmentPath, revisions: readonly number[] = []): Promise<EnvironmentReads> {
  const [project, snapshot, changes] = await Promise.all([
    find(at(projectRecord, path.orgSlug, path.project)),
    beginSnapshot(path),
    revisions.length === 0 ? [] : readChangesFrom(path, Math.min(...revisions)),
  ]);
  return { path, project, snapshot, ...(revisions.length === 0 ? {} : { past: { revisions, changes } }) };
}

/**
 * Hands a snapshot of an environment's secrets to `use`, every one with its data key at hand. Reads again if what was
 * read does not belong together.
 * @param right what the caller must be allowed; `see` for what shows no more than the environment's template
 * @throws project_not_found, environment_not_found, forbidden
 */
export async function readLive<T>(
  { access, organization, log }: MemberContext,
  begun: EnvironmentReads,
  use: (secrets: LiveSecrets) => Promise<T>,
  right: 'read' | 'see' = 'read',
): Promise<T> {
  const { path } = begun;
  return readAgainWhileStale(log, { ...path }, async tries => {
    const reads = tries === 0 ? begun : await beginRead(path, begun.past?.revisions);
    const project = access.requireProject(reads.project);
    access.requireEnvironment(reads.snapshot.state, right);
    const snapshot = await finishSnapshot(reads.snapshot);
    const { past } = reads;
    const { state } = snapshot;
    const ring = keyRing(organization.id, project);
    const moments = await Promise.all(
      (past?.revisions ?? []).map(revision => headsAt(path, snapshot, past?.changes ?? [], revision)),
    ).then(all => all.map(heads => heads.filter(isLive)));
    const now = snapshot.heads.filter(isLive);
    const live = moments[0] ?? now;
    // Known before `use` does anything that must not be done twice, such as writing an audit entry.
    const closed = (past === undefined ? now : moments.flat()).find(
      head => head.destroyed === undefined && !ring.canOpen(head),
    );
    if (closed !== undefined) {
      throw new StaleRead(`${closed.key} of environment ${state.id} is sealed under a key that the project lacks.`);
    }
    return use({ project, state, revision: past?.revisions[0] ?? state.revision, live, now, moments, ring });
  });
}
