import { ApiError } from '../../core/errors.ts';
import { keys } from '../../table/keys.ts';
import { at, list, readAll } from '../../table/read.ts';
import type { EnvironmentState } from '../../table/records/environment.ts';
import { type HeadRecord, type VersionRecord, versionRecord } from '../../table/records/secret.ts';
import { addUpTo } from './digest.ts';
import { type EnvironmentPath, partsOf } from './environment-path.ts';
import { headOf, type Snapshot } from './read-snapshot.ts';
import { type RecordedChange, readChangesFrom, versionsBefore } from './revision-log.ts';
import { StaleRead } from './stale-read.ts';

/** @throws revision_not_found for one that is still to come, or was another environment's under these slugs */
export function requireRevision(
  { revision: current, firstRevision }: Pick<EnvironmentState, 'revision' | 'firstRevision'>,
  revision: number,
): void {
  // Revision 0 is empty in every environment, so that everything can be compared with nothing.
  if (revision === 0 || (revision >= firstRevision && revision <= current)) return;
  throw new ApiError('revision_not_found', `The environment has no revision ${revision}; it is at ${current}.`);
}

/**
 * The heads of an environment, in key order, as they were at a revision. Some may be of deleted keys.
 * @param changes what was recorded from that revision on
 * @throws revision_not_found; StaleRead where what is found does not add up to what was recorded
 */
export async function headsAt(
  path: EnvironmentPath,
  { state, heads }: Snapshot,
  changes: readonly RecordedChange[],
  revision: number,
): Promise<HeadRecord[]> {
  requireRevision(state, revision);
  if (revision === state.revision) return heads;
  if (revision <= state.firstRevision) return [];
  const after = await changesSince(path, changes, revision, state.revision);
  const recorded = after.find(change => change.revision === revision);
  if (recorded === undefined || after.length <= state.revision - revision) {
    throw new StaleRead(`Environment ${state.id} lacks records of its changes from revision ${revision} on.`);
  }
  const versions = versionsBefore(after.filter(change => change.revision > revision));

  const wanted = [...versions].filter(([, version]) => version > 0);
  const found = await readAll(wanted.map(([key, version]) => at(versionRecord, ...partsOf(path), key, version)));
  // A later one is of another environment under these slugs: its revisions begin above all earlier ones.
  const missing = wanted.find((_, index) => (found[index]?.revision ?? Number.POSITIVE_INFINITY) > revision);
  if (missing !== undefined)
    throw new StaleRead(`Environment ${state.id} lacks version ${missing[1]} of ${missing[0]}.`);
  const past = [
    ...heads.filter(({ key }) => !versions.has(key)),
    ...found.filter(version => version !== undefined).map(headOf),
  ].sort((a, b) => (a.key < b.key ? -1 : 1));

  if (!addUpTo(recorded.digest, past)) {
    throw new StaleRead(
      `The heads of environment ${state.id} do not add up to what they were at revision ${revision}.`,
    );
  }
  return past;
}

/** The changes from one revision to another. Those that were read beside the state may lack some, so they are read again. */
async function changesSince(
  path: EnvironmentPath,
  changes: readonly RecordedChange[],
  from: number,
  to: number,
): Promise<RecordedChange[]> {
  const within = (some: readonly RecordedChange[]) => some.filter(({ revision }) => revision >= from && revision <= to);
  const found = within(changes);
  return found.length > to - from ? found : within(await readChangesFrom(path, from));
}

/** Some versions of a key, oldest first, without their values. */
export async function readVersionRange(
  path: EnvironmentPath,
  key: string,
  from: number,
  to: number,
): Promise<Omit<VersionRecord, 'sealed'>[]> {
  const { pk, sk } = keys.version(...partsOf(path), key, from);
  const end = keys.version(...partsOf(path), key, to).sk;
  return list(versionRecord, { pk, between: [sk, end], attributes: attributesOfVersion });
}

const attributesOfVersion =
  'pk sk kind v key version revision fence deleted destroyed sizeBytes keyCreatedAt createdAt createdBy'.split(' ');

/** @throws version_destroyed naming the keys whose values were destroyed */
export function requireValues(heads: readonly HeadRecord[]): void {
  const gone = heads.filter(({ destroyed }) => destroyed === true).map(({ key }) => key);
  if (gone.length === 0) return;
  const keys = [...new Set(gone)].toSorted();
  throw new ApiError('version_destroyed', `Values of that moment were destroyed: ${keys.slice(0, 5).join(', ')}`, {
    details: { keys },
  });
}
