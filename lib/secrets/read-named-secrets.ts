import type { MemberContext } from '../access/request-context.ts';
import { ApiError } from '../core/errors.ts';
import { at, find, readAll, readTogether } from '../table/read.ts';
import { type EnvironmentState, environmentStateRecord } from '../table/records/environment.ts';
import { type ProjectRecord, projectRecord } from '../table/records/project.ts';
import { type HeadRecord, headRecord, versionRecord } from '../table/records/secret.ts';
import { type EnvironmentPath, partsOf } from './engine/environment-path.ts';
import { keyRing } from './engine/key-ring.ts';
import type { LiveSecrets } from './engine/read-live-secrets.ts';
import { isLive, resolveHeads } from './engine/read-snapshot.ts';
import { readAgainWhileStale, StaleRead } from './engine/stale-read.ts';

/** What a pull shows, of the whole environment or of named secrets. */
export type PulledSecrets = Pick<LiveSecrets, 'project' | 'state' | 'revision' | 'live' | 'ring'>;

/** The reads of some secrets of an environment, begun before their caller is known to be allowed. */
export interface NamedReads {
  path: EnvironmentPath;
  keys: readonly string[];
  project: ProjectRecord | undefined;
  state: EnvironmentState | undefined;
}

/** One round trip, to be begun together with authentication. */
export async function beginNamedRead(path: EnvironmentPath, keys: readonly string[]): Promise<NamedReads> {
  const fixed = await readTogether({
    project: at(projectRecord, path.orgSlug, path.project),
    state: at(environmentStateRecord, ...partsOf(path)),
  });
  return { path, keys, ...fixed };
}

/**
 * Hands the named secrets to `use`, as of one revision, in key order. Their heads are read after the state, so each is the
 * one of the state's revision, or stamped later and resolved as in a snapshot. A head that was removed since is that of a
 * key that is not there.
 * @throws project_not_found, environment_not_found, forbidden, secret_not_found for a key that is not there
 */
export async function readNamed<T>(
  { access, organization, log }: MemberContext,
  begun: NamedReads,
  use: (secrets: PulledSecrets) => Promise<T>,
): Promise<T> {
  const { path, keys } = begun;
  return readAgainWhileStale(log, { ...path }, async tries => {
    const reads = tries === 0 ? begun : await beginNamedRead(path, keys);
    const project = access.requireProject(reads.project);
    const state = access.requireEnvironment(reads.state, 'read');
    const parts = partsOf(path);
    const read = await readAll(keys.map(key => at(headRecord, ...parts, key)));
    const heads = await resolveHeads(
      read.filter(head => head !== undefined),
      state.revision,
      wanted => readAll(wanted.map(({ key, version }) => at(versionRecord, ...parts, key, version))),
    );
    const found = heads.filter(isLive).toSorted((a, b) => (a.key < b.key ? -1 : 1));
    if (found.length < keys.length) await requireStillThere(path, state);
    const live = named(found, keys);
    const ring = keyRing(organization.id, project);
    const closed = live.find(head => !ring.canOpen(head));
    if (closed !== undefined) {
      throw new StaleRead(`${closed.key} of environment ${state.id} is sealed under a key that the project lacks.`);
    }
    return use({ project, state, revision: state.revision, live, ring });
  });
}

/** A key may be missing because its environment is being erased. @throws StaleRead if it is */
async function requireStillThere(path: EnvironmentPath, { id }: EnvironmentState): Promise<void> {
  const state = await find(at(environmentStateRecord, ...partsOf(path)));
  if (state?.id !== id || state.status !== 'active') throw new StaleRead(`Environment ${id} is gone.`);
}

/** The secrets that the keys name. @throws secret_not_found for a key that is missing */
export function named(live: readonly HeadRecord[], keys: readonly string[]): HeadRecord[] {
  const wanted = new Set(keys);
  const found = live.filter(({ key }) => wanted.delete(key));
  const [missing] = wanted;
  if (missing !== undefined) {
    throw new ApiError('secret_not_found', `There is no secret ${missing} in this environment.`);
  }
  return found;
}
