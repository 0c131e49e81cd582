import { auditWrite, systemActor } from '#lib/audit/write.ts';
import type { RequestSource } from '#lib/core/request-source.ts';
import { addUpTo, digestOf } from '#lib/secrets/engine/digest.ts';
import { maximumFences, readFences, removeFences, stateAt } from '#lib/secrets/engine/fencing.ts';
import { acquire, isHeld, type Lease, newLease, releaseLease, takeOver } from '#lib/secrets/engine/lease.ts';
import { isLive } from '#lib/secrets/engine/read-snapshot.ts';
import { expandingAmong } from '#lib/secrets/engine/references.ts';
import { headBytes } from '#lib/secrets/engine/secret-size.ts';
import { putTombstone } from '#lib/secrets/engine/tombstones.ts';
import { waitUntilSilent } from '#lib/secrets/engine/undo-change.ts';
import { planSteps, type SizedWrite, writeSteps } from '#lib/secrets/engine/write-steps.ts';
import { asRead } from '#lib/table/expressions.ts';
import { type EnvironmentPath, ranges } from '#lib/table/keys.ts';
import { at, find, queryItems } from '#lib/table/read.ts';
import { auditRecord } from '#lib/table/records/audit.ts';
import { type EnvironmentState, environmentStateRecord } from '#lib/table/records/environment.ts';
import { organizationRecord } from '#lib/table/records/organization.ts';
import { type ProjectRecord, projectRecord } from '#lib/table/records/project.ts';
import {
  type HeadRecord,
  headRecord,
  type RevisionRecord,
  revisionRecord,
  tombstoneRecord,
  type VersionRecord,
  versionRecord,
} from '#lib/table/records/secret.ts';
import {
  ConditionFailed,
  put,
  remove,
  retryOnConditionFailed,
  transact,
  upsert,
  type Write,
} from '#lib/table/write.ts';
import { planRepair, type RepairedKey, type RepairPlan } from './plan-repair.ts';

export interface Repair {
  /** The current revision. */
  revision: number;
  /** Whether the heads did not match the digest. */
  wasInconsistent: boolean;
  keys: RepairedKey[];
}

/** The environment doesn't exist or can't be repaired now. The message says why. */
export class NotRepairable extends Error {
  override readonly name = 'NotRepairable';
}

/**
 * Makes an environment consistent again after its heads stopped matching its digest. The repair is a change of its own:
 * under a lease, so no writer interferes; conditioned on the state it found; and with a new revision, so no client
 * keeps stale values. It loses no version of the history. A consistent environment is left unchanged.
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
    // A rotation has started in the meantime.
    if (state.keyVersion > keyVersion) throw new ConditionFailed([]);
    let lease: Lease;
    if (silent === undefined) {
      lease = newLease(path, state, maximumFences);
      await acquire(lease);
    } else lease = await takeOver(path, state, silent.copies);
    return repairUnderLease(lease, state, source);
  });
}

/** Versions restored from the history may be under the old data key, which a rotation deletes. */
async function requireNoRotation({ orgSlug, project }: EnvironmentPath): Promise<ProjectRecord> {
  const found = await find(at(projectRecord, orgSlug, project));
  if (found?.status !== 'active') throw new NotRepairable('There is no such project.');
  if (found.rotation?.status === 'in_progress') {
    throw new NotRepairable('A key rotation of the project is in progress. Run this again when it is complete.');
  }
  return found;
}

async function repairUnderLease(lease: Lease, state: EnvironmentState, source: RequestSource): Promise<Repair> {
  const { path } = lease;
  const items = (await queryItems(ranges.environmentContent(path))).filter(
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
    counted.valueCount === state.valueCount &&
    counted.expandingKeys === state.expandingKeys;
  if (plan.keys.length === 0 && addUpTo(state.digest, plan.heads) && wasCounted) {
    await releaseLease(lease);
    return { revision: state.revision, wasInconsistent: false, keys: [] };
  }
  const { steps, lanes } = planSteps(writesOf(path, plan, heads, tombstones));
  await writeSteps(lease, steps, lanes);
  const revision = state.revision + 1;
  const digest = digestOf(plan.heads);
  const audit = await auditOf(path, state, { revision, plan }, source);
  const ended = { pending: undefined, deadHeadsUpTo: undefined };
  const isAsRead = asRead(state, ['revision', 'valueCount', 'status']);
  await transact([
    upsert(
      stateAt(path),
      { set: { ...counted, digest, revision, ...ended } },
      { if: { ...isHeld(lease), ...isAsRead } },
    ),
    ...removeFences(lease, lease.fences),
    recordRepair(path, { revision, fence: lease.fence, digest }, audit),
    audit,
  ]);
  return { revision, wasInconsistent: !plan.wasConsistent, keys: plan.keys };
}

function countContent(heads: readonly HeadRecord[], versions: readonly VersionRecord[]) {
  const live = heads.filter(isLive);
  const newest = new Map(heads.map(({ key, version }) => [key, version]));
  // A version above its head was never committed.
  const values = new Set(
    versions
      .filter(({ key, version, deleted, destroyed }) => !deleted && !destroyed && version <= (newest.get(key) ?? 0))
      .map(({ key, version }) => `${key}#${version}`),
  );
  return {
    secretCount: live.length,
    sizeBytes: live.reduce((sum, { sizeBytes }) => sum + (sizeBytes ?? 0), 0),
    valueCount: values.size,
    expandingKeys: expandingAmong(live),
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
  const headAt = (key: string) => at(headRecord, path, key);
  return [
    ...plan.added.map(version => ({
      write: put(at(versionRecord, path, version.key, version.version), version),
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

/** A repair restores the heads from the history, so it names no key as changed. */
function recordRepair(
  path: EnvironmentPath,
  { revision, fence, digest }: Pick<RevisionRecord, 'revision' | 'fence' | 'digest'>,
  audit: Write,
): Write {
  const { id, action, createdAt } = auditRecord.parse(audit.item ?? {});
  const nothing = { created: [], updated: [], deleted: [], parts: 0 };
  return put(at(revisionRecord, path, revision), {
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
  { revision, plan: { keys } }: { revision: number; plan: RepairPlan },
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
