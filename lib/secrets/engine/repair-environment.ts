import { auditWrite, systemActor } from '../../access/audit-write.ts';
import type { RequestSource } from '../../core/request-source.ts';
import { asRead } from '../../table/expressions.ts';
import { ranges } from '../../table/keys.ts';
import { auditRecord } from '../../table/records/audit-entry.ts';
import { type EnvironmentState, environmentStateRecord } from '../../table/records/environment.ts';
import { organizationRecord } from '../../table/records/organization.ts';
import { type ProjectRecord, projectRecord } from '../../table/records/project.ts';
import { type RevisionRecord, revisionRecord } from '../../table/records/revision.ts';
import {
  type HeadRecord,
  headRecord,
  tombstoneRecord,
  type VersionRecord,
  versionRecord,
} from '../../table/records/secret.ts';
import {
  at,
  ConditionFailed,
  find,
  put,
  queryItems,
  remove,
  retryOnConditionFailed,
  transact,
  upsert,
  type Write,
} from '../../table/store.ts';
import {
  acquire,
  type Claim,
  isHeld,
  newClaim,
  planSteps,
  releaseClaim,
  type SizedWrite,
  takeOver,
  writeSteps,
} from './claim.ts';
import { addUpTo, digestOf } from './digest.ts';
import { type EnvironmentPath, partsOf } from './environment-path.ts';
import { maximumFences, readFences, removeFences, stateAt } from './fencing.ts';
import { headOf, isLive, versionOf } from './read-snapshot.ts';
import { headBytes } from './secret-size.ts';
import { putTombstone } from './tombstones.ts';
import { waitUntilSilent } from './undo-change.ts';

/** What became of one key. */
export interface RepairedKey {
  key: string;
  did: string;
}

export interface Repair {
  /** The revision now in force. */
  revision: number;
  /** Whether the heads did not add up to the digest. */
  wasInconsistent: boolean;
  keys: RepairedKey[];
}

/** The environment can't be repaired now, or is not there. The message says why. */
export class NotRepairable extends Error {
  override readonly name = 'NotRepairable';
}

/**
 * Makes an environment consistent again whose heads do not add up to its digest, as one change of its own: under a claim,
 * so no writer interferes, conditioned on the state it found, and as a new revision, so nobody keeps what was read
 * before. It loses no version of the history. Where nothing is wrong it changes nothing.
 * @throws NotRepairable
 */
export async function repairEnvironment(path: EnvironmentPath, source: RequestSource): Promise<Repair> {
  return retryOnConditionFailed(async () => {
    const { id, keyVersion } = await requireNoRotation(path);
    const silent = await waitUntilSilent(path);
    const { state } = silent ?? (await readFences(path));
    if (state?.status !== 'active' || state.projectId !== id) {
      throw new NotRepairable('There is no such environment.');
    }
    // A rotation has begun since.
    if (state.keyVersion > keyVersion) throw new ConditionFailed([]);
    let claim: Claim;
    if (silent === undefined) {
      claim = newClaim(path, state, maximumFences);
      await acquire(claim);
    } else claim = await takeOver(path, state, silent.copies);
    return repairClaimed(claim, state, source);
  });
}

/** What it restores from the history may be under the old data key, which a rotation takes away. */
async function requireNoRotation({ orgSlug, project }: EnvironmentPath): Promise<ProjectRecord> {
  const found = await find(at(projectRecord, orgSlug, project));
  if (found?.status !== 'active') throw new NotRepairable('There is no such project.');
  if (found.rotation?.status === 'in_progress') {
    throw new NotRepairable('A key rotation of the project is in progress. Run this again when it is complete.');
  }
  return found;
}

async function repairClaimed(claim: Claim, state: EnvironmentState, source: RequestSource): Promise<Repair> {
  const { path } = claim;
  const items = (await queryItems(ranges.environmentContent(...partsOf(path)))).filter(
    ({ kind }) => kind !== environmentStateRecord.kind,
  );
  const heads = items.filter(({ kind }) => kind === headRecord.kind).map(item => headRecord.parse(item));
  const headed = new Set(heads.map(({ key }) => key));
  const tombstones = items
    .filter(({ kind }) => kind === tombstoneRecord.kind)
    .map((item): HeadRecord => tombstoneRecord.parse(item))
    .filter(({ key }) => !headed.has(key));
  const versions = items.filter(({ kind }) => kind === versionRecord.kind).map(item => versionRecord.parse(item));
  const plan = planRepair(state, [...heads, ...tombstones], versions);
  const counted = countContent(plan.heads, [...versions, ...plan.added]);
  const wasCounted =
    counted.secretCount === state.secretCount &&
    counted.sizeBytes === state.sizeBytes &&
    counted.valueCount === state.valueCount;
  if (plan.keys.length === 0 && addUpTo(state.digest, plan.heads) && wasCounted) {
    await releaseClaim(claim);
    return { revision: state.revision, wasInconsistent: false, keys: [] };
  }
  const { steps, lanes } = planSteps(writesOf(path, plan, heads, tombstones));
  await writeSteps(claim, steps, lanes);
  const revision = state.revision + 1;
  const digest = digestOf(plan.heads);
  const audit = await auditOf(path, state, revision, plan, source);
  const ended = { pending: undefined, leaseMs: undefined, deadHeadsUpTo: undefined };
  const isAsRead = asRead(state, ['revision', 'valueCount', 'status']);
  await transact([
    upsert(
      stateAt(path),
      { set: { ...counted, digest, revision, ...ended } },
      { if: { ...isHeld(claim), ...isAsRead } },
    ),
    ...removeFences(claim, claim.fences),
    recordRepair(path, { revision, fence: claim.fence, digest }, audit),
    audit,
  ]);
  return { revision, wasInconsistent: !plan.wasConsistent, keys: plan.keys };
}

interface RepairPlan {
  /** The heads as they will be. */
  heads: HeadRecord[];
  /** Versions that the history lacks, or has in another form. */
  added: VersionRecord[];
  keys: RepairedKey[];
  wasConsistent: boolean;
}

/**
 * What to do, key by key. Heads are what gets overwritten, so the history wins, up to the number of the head: above it are
 * versions that never were committed. The digest may tell that there is more to take from the history: heads that are
 * missing, or newer ones. Pure.
 * @param heads those of deleted keys, or their tombstones, included
 */
export function planRepair(
  state: EnvironmentState,
  heads: readonly HeadRecord[],
  versions: readonly VersionRecord[],
): RepairPlan {
  const histories = new Map<string, VersionRecord[]>();
  for (const version of versions) {
    histories.set(version.key, [...(histories.get(version.key) ?? []), version]);
  }
  const committed = (key: string, upTo: number) =>
    (histories.get(key) ?? []).filter(({ version, revision }) => version <= upTo && revision <= state.revision).at(-1);
  const wasConsistent = addUpTo(
    state.digest,
    heads.filter(head => head.revision <= state.revision),
  );

  const known = new Set(heads.map(({ key }) => key));
  const missing: Repaired[] = [];
  const missingTombstones: Repaired[] = [];
  for (const key of histories.keys()) {
    const version = known.has(key) ? undefined : committed(key, Infinity);
    if (version === undefined) continue;
    const what = version.deleted === true ? 'tombstone' : 'head';
    const did = `the ${what} was missing: made from version ${version.version}`;
    // A deletion that never committed is of a key that has its head still.
    (version.deleted === true ? missingTombstones : missing).push({ key, head: headOf(version), did });
  }
  const repairedUpTo = (upTo: (head: HeadRecord) => number) => [
    ...heads.flatMap(head => repairedHead(head, committed(head.key, upTo(head)), state, wasConsistent)),
    ...missingTombstones,
  ];
  const upToHead = repairedUpTo(({ version }) => version);
  const newest = repairedUpTo(() => Infinity);
  const candidates = [upToHead, [...upToHead, ...missing], newest, [...newest, ...missing]];
  const chosen = candidates.find(candidate => addUpTo(state.digest, present(candidate))) ?? upToHead;
  return {
    heads: present(chosen),
    added: chosen.flatMap(({ added }) => (added === undefined ? [] : [added])),
    keys: chosen.flatMap(({ key, did }) => (did === undefined ? [] : [{ key, did }])),
    wasConsistent,
  };
}

/** One key after the repair: its head, if it has one, and what was done. */
interface Repaired {
  key: string;
  head?: HeadRecord;
  added?: VersionRecord;
  did?: string;
}

function present(repaired: readonly Repaired[]): HeadRecord[] {
  return repaired.flatMap(({ head }) => (head === undefined ? [] : [head]));
}

/** @param newest the newest committed version up to the head's */
function repairedHead(
  head: HeadRecord,
  newest: VersionRecord | undefined,
  { revision }: EnvironmentState,
  headsAreRight: boolean,
): Repaired[] {
  const { key, version } = head;
  if (head.revision > revision) {
    const did = `the head of revision ${head.revision} was never committed`;
    return newest === undefined
      ? [{ key, did: `${did}: removed` }]
      : [{ key, head: headOf(newest), did: `${did}: taken back to version ${newest.version}` }];
  }
  const isInHistory = newest?.version === version;
  if (isInHistory && sameVersion(versionOf(head), newest)) return [{ key, head }];
  const follows = version === (newest?.version ?? 0) + 1 && head.revision > (newest?.revision ?? 0);
  if (newest === undefined || (!isInHistory && follows) || headsAreRight) {
    return [{ key, head, added: versionOf(head), did: `the history did not have version ${version}: added` }];
  }
  return [{ key, head: headOf(newest), did: `the head did not fit: made from version ${newest.version}` }];
}

/** All but the ciphertext, which a key rotation writes anew in either place. */
function sameVersion(one: VersionRecord, other: VersionRecord): boolean {
  const facts = ({ version, revision, fence, deleted, sizeBytes, createdAt, createdBy }: VersionRecord) =>
    JSON.stringify([version, revision, fence, deleted, sizeBytes, createdAt, createdBy.id]);
  return facts(one) === facts(other);
}

function countContent(heads: readonly HeadRecord[], versions: readonly VersionRecord[]) {
  const live = heads.filter(isLive);
  const newest = new Map(heads.map(({ key, version }) => [key, version]));
  // Above its head a version never was committed.
  const values = new Set(
    versions
      .filter(({ key, version, deleted, destroyed }) => !deleted && !destroyed && version <= (newest.get(key) ?? 0))
      .map(({ key, version }) => `${key}#${version}`),
  );
  return {
    secretCount: live.length,
    sizeBytes: live.reduce((sum, { sizeBytes }) => sum + (sizeBytes ?? 0), 0),
    valueCount: values.size,
  };
}

function writesOf(
  path: EnvironmentPath,
  plan: RepairPlan,
  before: readonly HeadRecord[],
  tombstones: readonly HeadRecord[],
): SizedWrite[] {
  const after = new Map(plan.heads.map(head => [head.key, head]));
  const found = new Set(before);
  const buried = new Set(tombstones);
  const headAt = (key: string) => at(headRecord, ...partsOf(path), key);
  return [
    ...plan.added.map(version => ({
      write: put(at(versionRecord, ...partsOf(path), version.key, version.version), version),
      bytes: headBytes(version),
    })),
    ...plan.heads
      .filter(head => isLive(head) && !found.has(head))
      .map(head => ({ write: put(headAt(head.key), head), bytes: headBytes(head) })),
    ...plan.heads
      .filter(head => head.deleted === true && !buried.has(head))
      .map(head => ({ write: [remove(headAt(head.key)), putTombstone(path, head)], bytes: 2 * headBytes(head) })),
    ...before
      .filter(({ key }) => !after.has(key))
      .map(head => ({ write: remove(headAt(head.key)), bytes: headBytes(head) })),
  ];
}

/** A repair takes the heads back to what the history says, so it names no key as changed. */
function recordRepair(
  path: EnvironmentPath,
  { revision, fence, digest }: Pick<RevisionRecord, 'revision' | 'fence' | 'digest'>,
  audit: Write,
): Write {
  const { id, action, createdAt } = auditRecord.parse(audit.item ?? {});
  const nothing = { created: [], updated: [], deleted: [], parts: 0 };
  return put(at(revisionRecord, ...partsOf(path), revision), {
    ...nothing,
    revision,
    fence,
    digest,
    changeId: id,
    action,
    createdAt,
    createdBy: null,
  });
}

async function auditOf(
  { orgSlug }: EnvironmentPath,
  { id, slug }: EnvironmentState,
  revision: number,
  { keys }: RepairPlan,
  source: RequestSource,
) {
  const organization = await find(at(organizationRecord, orgSlug));
  if (organization?.status !== 'active') throw new NotRepairable('There is no such organization.');
  return auditWrite(organization, systemActor, source, {
    action: 'environment.repaired',
    target: { type: 'environment', id, name: slug },
    environment: { id, slug },
    keys: keys.map(({ key }) => key),
    revision,
  });
}
