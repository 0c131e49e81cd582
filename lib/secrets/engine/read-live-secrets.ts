import type { MemberContext } from '../../access/request-context.ts';
import type { EnvironmentState } from '../../table/records/environment.ts';
import { type ProjectRecord, projectRecord } from '../../table/records/project.ts';
import type { HeadRecord } from '../../table/records/secret.ts';
import { at, find, type Page } from '../../table/store.ts';
import type { EnvironmentPath } from './environment-path.ts';
import { type KeyRing, keyRing } from './key-ring.ts';
import { beginSnapshot, finishSnapshot, isLive, stateIn } from './read-snapshot.ts';
import { readAgainWhileStale, StaleRead } from './stale-read.ts';

/** The reads of an environment's secrets, begun before their caller is known to be allowed. */
export interface BegunRead {
  path: EnvironmentPath;
  project: ProjectRecord | undefined;
  page: Page;
}

/** The secrets of an environment at one revision, with the means to open them. */
export interface LiveSecrets {
  project: ProjectRecord;
  state: EnvironmentState;
  /** The heads of the secrets that are there, in key order. */
  live: HeadRecord[];
  ring: KeyRing;
}

/** One wave, to be begun together with authentication. */
export async function beginRead(path: EnvironmentPath): Promise<BegunRead> {
  const [project, page] = await Promise.all([find(at(projectRecord, path.orgSlug, path.project)), beginSnapshot(path)]);
  return { path, project, page };
}

/**
 * Hands a snapshot of an environment's secrets to `use`, every one with its data key at hand. Reads again where what was
 * read does not belong together.
 * @param right what the caller must be allowed; `see` for what shows no more than the environment's template
 * @throws project_not_found, environment_not_found, forbidden
 */
export async function readLive<T>(
  { access, organization, log }: MemberContext,
  begun: BegunRead,
  use: (secrets: LiveSecrets) => Promise<T>,
  right: 'read' | 'see' = 'read',
): Promise<T> {
  const { path } = begun;
  return readAgainWhileStale(log, { ...path }, async tries => {
    const reads = tries === 0 ? begun : await beginRead(path);
    const project = access.requireProject(reads.project);
    access.requireEnvironment(stateIn(reads.page), right);
    const { state, heads } = await finishSnapshot(path, reads.page);
    const ring = keyRing(organization.id, project);
    const live = heads.filter(isLive);
    // Known before `use` does anything that must not be done twice, such as writing an audit entry.
    const closed = live.find(head => !ring.canOpen(head));
    if (closed !== undefined) {
      throw new StaleRead(`${closed.key} of environment ${state.id} is sealed under a key that the project lacks.`);
    }
    return use({ project, state, live, ring });
  });
}
