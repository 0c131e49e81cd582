import { findWebhooks } from '../../deliveries/publish.ts';
import type { EnvironmentPath } from '../../table/keys.ts';
import { at, find, type Read, readAll, readTogether, readTogetherWith } from '../../table/read.ts';
import type { EnvironmentState, TicketsRecord } from '../../table/records/environment.ts';
import { type PlanConfigs, planConfigsRecord } from '../../table/records/plan-configs.ts';
import { type ProjectRecord, projectRecord } from '../../table/records/project.ts';
import { type HeadRecord, headRecord, tombstoneRecord } from '../../table/records/secret.ts';
import type { WebhookRecord } from '../../table/records/webhook.ts';
import { ConditionFailed } from '../../table/write.ts';
import { stateAt } from '../engine/fencing.ts';
import { type KeyRing, keyRing } from '../engine/key-ring.ts';
import { type BegunSnapshot, beginSnapshot, finishSnapshot, readFirstPage } from '../engine/read-snapshot.ts';
import { StaleRead } from '../engine/stale-read.ts';
import { ticketsAt } from '../engine/tickets.ts';
import { findTombstones } from '../engine/tombstones.ts';
import { DecisionOutdated } from '../engine/write-change.ts';
import type { Change, Source } from './change-request.ts';

/** The heads that a change reads: those of its keys, with their tombstones, or all. */
type Keys = readonly string[] | 'all';

/** For up to this many keys, single reads cost less than a Query of a large environment, and fit in one call. */
const maximumNamedKeys = 40;

/** The environment to change, read before its caller is authorized. */
export interface TargetReads {
  keys: Keys;
  project: ProjectRecord | undefined;
  plans: { plans: PlanConfigs } | undefined;
  tickets: TicketsRecord | undefined;
  state: EnvironmentState | undefined;
  heads: { named: ReadonlyMap<string, HeadRecord>; keys: readonly string[] } | { all: BegunSnapshot };
}

export interface ChangeReads {
  path: EnvironmentPath;
  reads: TargetReads;
  webhooks: readonly WebhookRecord[];
}

/** One round trip, in parallel with authentication; two for a dry run if a snapshot that was kept is out of date. */
export async function beginChange(
  path: EnvironmentPath,
  keys: Keys,
  { dryRun }: { dryRun: boolean },
): Promise<ChangeReads> {
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
  const fixed = {
    project: at(projectRecord, path.orgSlug, path.project),
    plans: at(planConfigsRecord),
    tickets: ticketsAt(path),
  };
  if (keys === 'all' || keys.length > maximumNamedKeys) {
    const [found, all] = await Promise.all([readTogether(fixed), begin(path)]);
    return { ...found, keys, state: all.state, heads: { all } };
  }
  const [found, named] = await readTogetherWith({ ...fixed, state: stateAt(path) }, headsOfKeys(path, keys));
  return { ...found, keys, heads: { named: byKey(named), keys } };
}

/** A head comes after its key's tombstone, so that `byKey` prefers it. */
function headsOfKeys(path: EnvironmentPath, keys: readonly string[]): Read<HeadRecord>[] {
  return keys.flatMap(key => [at(tombstoneRecord, path, key), at(headRecord, path, key)]);
}

export function byKey(heads: readonly (HeadRecord | undefined)[]): ReadonlyMap<string, HeadRecord> {
  return new Map(heads.filter(head => head !== undefined).map(head => [head.key, head]));
}

/** The environment to change, after authorization. */
export interface Target {
  project: ProjectRecord;
  state: EnvironmentState;
  ring: KeyRing;
}

/**
 * @throws project_not_found, environment_not_found, forbidden; StaleRead if the project was read before a key rotation
 */
export function requireTarget({ context, authorize }: Change<unknown>, reads: TargetReads): Target {
  const { access, organization } = context;
  const project = access.requireProject(reads.project);
  const state = access.requireEnvironment(reads.state, 'write');
  authorize?.(access);
  if (state.keyVersion > project.keyVersion) {
    throw new StaleRead(`Environment ${state.id} only accepts values under data key ${state.keyVersion} or newer.`);
  }
  return { project, state, ring: keyRing(organization.id, project) };
}

/** The heads or tombstones of the target; all, or those of the change's keys. @throws StaleRead */
export async function headsOf({ state }: Target, { heads }: TargetReads): Promise<ReadonlyMap<string, HeadRecord>> {
  if ('all' in heads) return byKey((await finishSnapshot(heads.all)).heads);
  // The head was read before this environment was created, and belongs to an earlier one with the same slugs.
  const older = [...heads.named.values()].find(({ revision }) => revision <= state.firstRevision);
  if (older === undefined) return heads.named;
  throw new StaleRead(`The head of ${older.key} is older than environment ${state.id}.`);
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

/**
 * A write is conditional on everything that was read. A response without a write has to check it instead: heads read
 * one by one may not match the state, and the source of a copy may not match its target.
 * @throws ConditionFailed if the reads of the target don't match, DecisionOutdated if the source has changed
 */
export async function requireOneMoment(
  path: EnvironmentPath,
  { state }: Target,
  { heads }: TargetReads,
  source: Source | undefined,
): Promise<void> {
  if ('named' in heads) await requireUnchanged(path, state, heads.keys, heads.named);
  if (source !== undefined) await requireBothUnchanged(source, path, state);
}

/**
 * Reads the heads again, and then the state. If both are unchanged, nothing changed between the two reads of the state, so
 * the heads are of its revision.
 */
async function requireUnchanged(
  path: EnvironmentPath,
  { id, fence }: EnvironmentState,
  keys: readonly string[],
  before: ReadonlyMap<string, HeadRecord>,
): Promise<void> {
  const heads = byKey(await readAll(headsOfKeys(path, keys)));
  const state = await find(stateAt(path));
  const isSame = state?.id === id && state.fence === fence && state.pending === undefined;
  // After an undo, the next change reuses the version number, with a different token.
  const isSameHead = (one: HeadRecord | undefined, other: HeadRecord | undefined) =>
    one?.version === other?.version && one?.fence === other?.fence;
  if (isSame && keys.every(key => isSameHead(heads.get(key), before.get(key)))) return;
  throw new ConditionFailed([]);
}

/** A response about a copy is correct if neither environment changed before both were read. */
async function requireBothUnchanged(source: Source, path: EnvironmentPath, target: EnvironmentState): Promise<void> {
  const states = await readTogether({ source: stateAt(source.path), target: stateAt(path) });
  const isSame = (one: EnvironmentState | undefined, other: Pick<EnvironmentState, 'id' | 'revision'>) =>
    one?.id === other.id && one.revision === other.revision;
  if (!isSame(states.source, source)) throw new DecisionOutdated();
  if (!isSame(states.target, target)) throw new ConditionFailed([]);
}
