import { readWithProject } from '../../access/kept-access.ts';
import { findWebhooks } from '../../deliveries/publish.ts';
import type { EnvironmentPath } from '../../table/keys.ts';
import { at, type Read } from '../../table/read.ts';
import type { EnvironmentState, TicketsRecord } from '../../table/records/environment.ts';
import { type PlanConfigs, planConfigsRecord } from '../../table/records/platform.ts';
import type { ProjectKeys } from '../../table/records/project.ts';
import { type HeadRecord, headRecord, tombstoneRecord } from '../../table/records/secret.ts';
import { stateAt } from '../engine/fencing.ts';
import { type BegunSnapshot, beginSnapshot, finishSnapshot, readFirstPage } from '../engine/read-snapshot.ts';
import { ticketsAt } from '../engine/tickets.ts';
import { findTombstones } from '../engine/tombstones.ts';

type Keys = readonly string[] | 'all';

/** For up to this many keys, single reads cost less than a Query of a large environment, and fit in one call. */
const maximumNamedKeys = 40;

export interface TargetReads {
  keys: Keys;
  project: ProjectKeys | undefined;
  plans: { plans: PlanConfigs } | undefined;
  tickets: TicketsRecord | undefined;
  state: EnvironmentState | undefined;
  heads: { named: ReadonlyMap<string, HeadRecord>; keys: readonly string[] } | { all: BegunSnapshot };
}

/** The change cannot be decided on the heads of its keys alone. Reading all of them helps. */
export class AllHeadsNeeded extends Error {
  override readonly name = 'AllHeadsNeeded';
}

export type ChangeReads = Awaited<ReturnType<typeof beginChange>>;

/** One round trip, in parallel with authentication; two for a dry run if a snapshot that was kept is out of date. */
export async function beginChange(path: EnvironmentPath, keys: Keys, { dryRun }: { dryRun: boolean }) {
  const begin = dryRun ? beginSnapshot : readFirstPage;
  const [reads, webhooks] = await Promise.all([readTarget(path, keys, begin), findWebhooks(path.orgSlug)]);
  return { path, reads, webhooks };
}

/** One round trip, because a writer reads the table itself. */
export async function readTarget(
  path: EnvironmentPath,
  keys: Keys,
  begin: (path: EnvironmentPath) => Promise<BegunSnapshot> = readFirstPage,
): Promise<TargetReads> {
  const fixed = { plans: at(planConfigsRecord), tickets: ticketsAt(path) };
  if (keys === 'all' || keys.length > maximumNamedKeys) {
    const [[records], all] = await Promise.all([readWithProject(path, fixed), begin(path)]);
    return { ...records, keys, state: all.state, heads: { all } };
  }
  const [records, named] = await readWithProject(path, { ...fixed, state: stateAt(path) }, headsOfKeys(path, keys));
  return { ...records, keys, heads: { named: byKey(named), keys } };
}

/** A head comes after its key's tombstone, so that `byKey` prefers it. */
export function headsOfKeys(path: EnvironmentPath, keys: readonly string[]): Read<HeadRecord>[] {
  return keys.flatMap(key => [at(tombstoneRecord, path, key), at(headRecord, path, key)]);
}

export function byKey(heads: readonly (HeadRecord | undefined)[]): ReadonlyMap<string, HeadRecord> {
  return new Map(heads.filter(head => head !== undefined).map(head => [head.key, head]));
}

/** The heads or tombstones that a change is decided on: all, or those of its keys. @throws StaleRead */
export async function finishHeads({ heads }: TargetReads): Promise<ReadonlyMap<string, HeadRecord>> {
  return 'named' in heads ? heads.named : byKey((await finishSnapshot(heads.all)).heads);
}

/** Adds the tombstones of keys to be set that have no head, so that their version numbers continue. */
export async function withTombstones(
  path: EnvironmentPath,
  heads: ReadonlyMap<string, HeadRecord>,
  puts: readonly { key: string }[],
): Promise<ReadonlyMap<string, HeadRecord>> {
  const created = puts.map(({ key }) => key).filter(key => !heads.has(key));
  return new Map([...heads, ...byKey(await findTombstones(path, created))]);
}
