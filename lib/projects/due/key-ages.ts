import { isLive, readVersions, resolveHeads } from '../../secrets/engine/read-snapshot.ts';
import { readChanges } from '../../secrets/engine/revision-log.ts';
import type { EnvironmentPath } from '../../table/keys.ts';
import { at, readAll } from '../../table/read.ts';
import type { KeyAgesRecord } from '../../table/records/due.ts';
import type { EnvironmentState } from '../../table/records/environment.ts';
import { headRecord } from '../../table/records/secret.ts';

/** The version of a key's current value, and when it was written; version 0 for a key without a value. */
interface Age {
  version: number;
  writtenAt: string;
}

export type KeyAges = ReadonlyMap<string, Age>;

const noValue: Age = { version: 0, writtenAt: '' };

/** Beyond that, the heads of the named keys are cheaper to read than the records of the changes. */
const maximumChanges = 1000;

/**
 * The ages of keys at the state's revision: the stored ones, with what has changed since. Keys that are not stored yet
 * are read with their values, which happens once after a template names them.
 */
export async function readKeyAges(
  path: EnvironmentPath,
  state: Pick<EnvironmentState, 'id' | 'revision'>,
  keys: readonly string[],
  stored: KeyAgesRecord | undefined,
): Promise<KeyAges> {
  const ages = (await agesSince(path, state, stored)) ?? new Map<string, Age>();
  const missing = keys.filter(key => !ages.has(key));
  const read = (await readAll(missing.map(key => at(headRecord, path, key)))).filter(head => head !== undefined);
  const heads = await resolveHeads(read, state.revision, wanted => readVersions(path, wanted));
  const live = new Map(heads.filter(isLive).map(head => [head.key, head]));
  for (const key of missing) {
    const head = live.get(key);
    ages.set(key, head === undefined ? noValue : { version: head.version, writtenAt: head.updatedAt });
  }
  return new Map(keys.map(key => [key, ages.get(key) ?? noValue]));
}

/** @returns undefined if the stored ages are of another environment, or their changes can't be followed */
async function agesSince(
  path: EnvironmentPath,
  { id, revision }: Pick<EnvironmentState, 'id' | 'revision'>,
  stored: KeyAgesRecord | undefined,
): Promise<Map<string, Age> | undefined> {
  if (stored === undefined || stored.environmentId !== id) return undefined;
  const count = revision - stored.revision;
  if (count < 0 || count > maximumChanges) return undefined;
  const ages = new Map<string, Age>(stored.ages.map(([key, version, writtenAt]) => [key, { version, writtenAt }]));
  if (count === 0) return ages;
  const changes = await readChanges(path, stored.revision + 1, revision);
  if (changes.length !== count) return undefined;
  for (const { created, updated, deleted, createdAt } of changes) {
    for (const [key, version] of [...created, ...updated]) ages.set(key, { version, writtenAt: createdAt });
    for (const [key] of deleted) ages.set(key, noValue);
  }
  return ages;
}

/** What the table keeps of ages. Pure. */
export function storedAges({ id, revision }: Pick<EnvironmentState, 'id' | 'revision'>, ages: KeyAges): KeyAgesRecord {
  const rows = [...ages].map(([key, { version, writtenAt }]): [string, number, string] => [key, version, writtenAt]);
  return { environmentId: id, revision, ages: rows };
}
