import type { MemberContext } from '../access/request-context.ts';
import { ApiError } from '../core/errors.ts';
import type { EnvironmentPath } from '../table/keys.ts';
import { at, find, readAll } from '../table/read.ts';
import type { EnvironmentState } from '../table/records/environment.ts';
import { type HeadRecord, headRecord } from '../table/records/secret.ts';
import { stateAt } from './engine/fencing.ts';
import { keptHeads } from './engine/kept-snapshots.ts';
import { keyRing, requireKeys } from './engine/key-ring.ts';
import { type EnvironmentRead, readEnvironment } from './engine/read-environment.ts';
import type { LiveSecrets } from './engine/read-live-secrets.ts';
import { isLive, readVersions, resolveHeads } from './engine/read-snapshot.ts';
import { withNamed } from './engine/references.ts';
import { readAgainWhileStale, StaleRead } from './engine/stale-read.ts';

export type PulledSecrets = Pick<LiveSecrets, 'project' | 'state' | 'revision' | 'live' | 'ring'>;

export interface NamedReads extends EnvironmentRead {
  path: EnvironmentPath;
  keys: readonly string[];
  /** Whether the values are returned as they were set, so that what they name is not needed. */
  raw: boolean;
}

export async function beginNamedRead(
  path: EnvironmentPath,
  keys: readonly string[],
  raw: boolean,
): Promise<NamedReads> {
  return { path, keys, raw, ...(await readEnvironment(path)) };
}

/**
 * Passes the named secrets, and those that their values name, to `use`, as of one revision, in key order. Their heads
 * are read after the state, so each is at that revision, or stamped later and resolved as in a snapshot. A key without a
 * head does not exist.
 * @throws project_not_found, environment_not_found, forbidden, secret_not_found for a key that does not exist
 */
export async function readNamed<T>(
  { access, organization, log }: MemberContext,
  begun: NamedReads,
  use: (secrets: PulledSecrets) => Promise<T>,
): Promise<T> {
  const { path, keys, raw } = begun;
  return readAgainWhileStale(log, path, async tries => {
    const reads = tries === 0 ? begun : await beginNamedRead(path, keys, raw);
    const project = access.requireProject(reads.project);
    const state = access.requireEnvironment(reads.state, 'read');
    const kept = keptHeads(path, state);
    const asked = named(kept ?? (await readHeads(path, state, keys)), keys);
    const live = raw ? asked : await withNamedHeads(path, state, asked, kept);
    const ring = keyRing(organization.id, project);
    requireKeys(ring, live);
    return use({ project, state, revision: state.revision, live, ring });
  });
}

/** A level of names is one round trip, and there are at most ten. */
async function withNamedHeads(
  path: EnvironmentPath,
  state: EnvironmentState,
  asked: readonly HeadRecord[],
  kept: readonly HeadRecord[] = [],
): Promise<HeadRecord[]> {
  const found = new Map(kept.filter(isLive).map(head => [head.key, head]));
  for (;;) {
    const { needed, unknown } = withNamed(asked, key => found.get(key));
    if (unknown.length === 0) return needed.toSorted((a, b) => (a.key < b.key ? -1 : 1));
    const heads = await readHeads(path, state, unknown);
    if (heads.length < unknown.length) throw new StaleRead(`A key that ${state.id} names was deleted during the read.`);
    for (const head of heads) found.set(head.key, head);
  }
}

async function readHeads(path: EnvironmentPath, state: EnvironmentState, keys: readonly string[]) {
  const read = (await readAll(keys.map(key => at(headRecord, path, key)))).filter(head => head !== undefined);
  const heads = await resolveHeads(read, state.revision, wanted => readVersions(path, wanted));
  const live = heads.filter(isLive).toSorted((a, b) => (a.key < b.key ? -1 : 1));
  if (live.length < keys.length) await requireStillThere(path, state);
  return live;
}

/** A key may be missing because its environment is being erased. @throws StaleRead if it is */
async function requireStillThere(path: EnvironmentPath, { id }: EnvironmentState): Promise<void> {
  const state = await find(stateAt(path));
  if (state?.id !== id || state.status !== 'active') throw new StaleRead(`Environment ${id} is gone.`);
}

export function named(live: readonly HeadRecord[], keys: readonly string[]): HeadRecord[] {
  const missingKeys = new Set(keys);
  const heads = live.filter(isLive).filter(({ key }) => missingKeys.delete(key));
  const [missing] = missingKeys;
  if (missing !== undefined) {
    throw new ApiError('secret_not_found', `There is no secret ${missing} in this environment.`);
  }
  return heads;
}
