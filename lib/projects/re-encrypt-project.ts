import * as z from 'zod';
import { chunksOf, chunksWithin } from '../core/chunks-of.ts';
import type { Job } from '../core/job.ts';
import type { Log } from '../core/logger.ts';
import { queueJob } from '../core/queue.ts';
import { AlteredCiphertext } from '../crypto/envelope.ts';
import { renewAccess } from '../organizations/change-counts.ts';
import { type KeyRing, keyRing } from '../secrets/engine/key-ring.ts';
import { fenceEnvironment } from '../secrets/engine/lease.ts';
import { asRead, type Condition, equals, isActive, lessThan } from '../table/expressions.ts';
import { type EnvironmentPath, ranges } from '../table/keys.ts';
import { at, find, list, queryPage } from '../table/read.ts';
import { environmentRecord, environmentStateRecord } from '../table/records/environment.ts';
import { isCounted } from '../table/records/kept.ts';
import { type ProjectRecord, projectRecord } from '../table/records/project.ts';
import { proposalPartRecord, proposalRecord } from '../table/records/proposal.ts';
import { headRecord, versionRecord } from '../table/records/secret.ts';
import { endWork } from '../table/records/unfinished-work.ts';
import {
  ConditionFailed,
  maximumWritesPerTransaction,
  transact,
  transactIfHolds,
  update,
  type Write,
} from '../table/write.ts';

/*
 * Re-encrypts everything a project stores under its new data key, in steps of the job queue:
 * 1. fence every environment: from then on nothing is written under an older key;
 * 2. walk every partition and re-encrypt each item, on condition that it has not changed since it was read;
 * 3. walk again until a walk finds nothing left to do, and only then delete the old wrapped key. An item still under it
 *   would be lost, so every walk after the first starts once all committed writes are visible.
 * Every step can be repeated, even concurrently. Reads and writes continue, because the project has both keys.
 *
 * Re-encrypting is limited by the 1,000 write units a second of an environment's partition, which its writers and other
 * tenants may share. One transaction after the other of a hundred items reaches that limit, so parallel ones would only
 * take more of it away from others.
 */

type ReEncryptProject = Extract<Job, { type: 're-encrypt-project' }>;

/** Where the next step starts. Serialized as text. */
const Cursor = z.object({
  queuedAtMs: z.coerce.number(),
  /** 0: fence; from 1 on: the number of the walk. */
  walk: z.coerce.number(),
  env: z.string().optional(),
  after: z.string().optional(),
  /** The environment's revision when its walk started; anything written later is under the new key anyway. */
  revision: z.coerce.number().default(0),
  passed: z.coerce.number().default(0),
  changed: z.coerce.number().default(0),
  damaged: z.coerce.number().default(0),
});
type Cursor = z.infer<typeof Cursor>;

export function firstCursor(): Record<string, string> {
  return asText(Cursor.parse({ queuedAtMs: Date.now(), walk: 0 }));
}

function asText(cursor: Cursor): Record<string, string> {
  const present = Object.entries(cursor).filter(([, content]) => content !== undefined);
  return Object.fromEntries(present.map(([name, content]) => [name, String(content)]));
}

/**
 * A job is queued before its rotation commits. If that is not visible after this time, it probably failed; if it
 * commits later, `lib/jobs/queue-unfinished-work.ts` queues the job again.
 */
const patienceMs = 60_000;
/** A step ends after either; a page is also limited to 1 MB. Between the steps, other tenants' jobs get their turn. */
const stepSize = { itemsPerPage: 1000, pages: 4, timeMs: 10_000 };
/**
 * A transaction committed before the fence becomes visible item by item (Developer Guide, "Isolation levels"). DynamoDB
 * doesn't say how soon; a client waits this long for the response.
 */
const visibleAfterSeconds = 5;
/** Each ciphertext is sent twice, once in its condition; a transaction may be 4 MB. */
const maximumPerTransaction = { count: maximumWritesPerTransaction, bytes: 500_000 };
const environmentsAtOnce = 10;

/** One step of re-encrypting a project; queues the next step until everything is done. */
export async function reEncryptProject(job: ReEncryptProject, log: Log, size = stepSize): Promise<void> {
  const cursor = Cursor.parse(job.cursor ?? firstCursor());
  const project = await find(at(projectRecord, job.orgSlug, job.project));
  if (project === undefined || project.id !== job.projectId || project.status !== 'active') return;
  if (project.keyVersion < job.toVersion) {
    if (Date.now() - cursor.queuedAtMs < patienceMs) await queueJob(job, 2);
    else log.info('dropping the job of a rotation that never started', { projectId: project.id });
    return;
  }
  if (project.rotation?.toVersion !== job.toVersion || project.rotation.status !== 'in_progress') return;

  const environments = (await list(environmentRecord, ranges.projectEnvironments(job.orgSlug, job.project)))
    .filter(isCounted)
    .map(({ slug }) => slug)
    .sort();
  const next = (changes: Cursor, delaySeconds = 0) => queueJob({ ...job, cursor: asText(changes) }, delaySeconds);
  if (cursor.walk === 0) {
    for (const chunk of chunksOf(environmentsAtOnce, environments)) {
      await Promise.all(chunk.map(env => fenceEnvironment(pathOf(job, env), project.id, job.toVersion)));
    }
    await next({ ...cursor, walk: 1 }, 1);
    return;
  }

  const reached = await walk({ job, project, environments, log, size }, cursor);
  if (cursor.walk === 1) await noteProgress(job, project, reached.passed);
  if (reached.env !== undefined) await next(reached);
  else if (cursor.walk === 1 || reached.changed > 0) {
    await next(Cursor.parse({ queuedAtMs: cursor.queuedAtMs, walk: cursor.walk + 1 }), visibleAfterSeconds);
  } else await complete(job, project, reached.damaged, log);
}

const pathOf = ({ orgSlug, project }: ReEncryptProject, env: string) => ({ orgSlug, project, env });

interface Walk {
  job: ReEncryptProject;
  project: ProjectRecord;
  environments: readonly string[];
  log: Log;
  size: typeof stepSize;
}

/** Continues a walk by one step, at least a page. @returns where to continue; without `env` if the walk is over */
async function walk({ job, project, environments, log, size }: Walk, begun: Cursor): Promise<Cursor> {
  const ring = keyRing(job.organizationId, project);
  const endsAt = Date.now() + size.timeMs;
  let cursor = { ...begun, env: begun.env ?? environments[0] };
  let pages = 0;
  do {
    const { env, after } = cursor;
    if (env === undefined) break;
    const path = pathOf(job, env);
    const storedState = await find(at(environmentStateRecord, path));
    const state = storedState?.projectId === project.id ? storedState : undefined;
    const revision = after === undefined ? (state?.revision ?? 0) : cursor.revision;
    const range = ranges.environmentContent(path);
    const startAfter = after === undefined ? undefined : { pk: range.pk, sk: after };
    const page = state && (await queryPage({ ...range, pageSize: size.itemsPerPage, startAfter }));
    const items = (page?.items ?? []).filter(({ kind }) => sealedKinds.has(String(kind))).map(parseItem);
    const values = items.filter(({ isVersion, record }) => isVersion && record.sealed !== undefined);
    const passed = cursor.passed + values.filter(({ record }) => record.revision <= revision).length;
    const found = await reEncryptAll(items, { path, id: state?.id ?? '' }, ring, log);
    const [changed, damaged] = [cursor.changed + found.changed, cursor.damaged + found.damaged];
    cursor = { ...cursor, revision, passed, changed, damaged, after: page?.next?.sk };
    // Finds the next slug by order rather than position, because the environment may have been erased in the meantime.
    if (page?.next === undefined) cursor = { ...cursor, env: environments.find(slug => slug > env) };
    pages += 1;
  } while (pages < size.pages && Date.now() < endsAt);
  return cursor;
}

const sealedKinds: ReadonlySet<string> = new Set([headRecord.kind, versionRecord.kind, proposalPartRecord.kind]);

function parseItem(item: Record<string, unknown>) {
  const isVersion = item.kind === versionRecord.kind;
  const key = { pk: String(item.pk), sk: String(item.sk) };
  // A proposal's values belong to no revision.
  const isProposed = item.kind === proposalPartRecord.kind;
  if (isProposed) return { key, isVersion, isProposed, record: { ...proposalPartRecord.parse(item), revision: 0 } };
  return { key, isVersion, isProposed, record: isVersion ? versionRecord.parse(item) : headRecord.parse(item) };
}

type Place = { path: EnvironmentPath; id: string };
type Sealed = ReturnType<typeof parseItem>;

async function reEncryptAll(
  items: readonly Sealed[],
  place: Place,
  ring: KeyRing,
  log: Log,
): Promise<{ changed: number; damaged: number }> {
  let changed = 0;
  const old = items
    .filter(({ record: { keyVersion } }) => keyVersion !== undefined && keyVersion < ring.keyVersion)
    // Code that doesn't know proposals leaves their values under a data key that its rotation deletes.
    .filter(({ isProposed, record }) => !isProposed || ring.canOpen(record));
  const isOpen = await openProposals(place, old);
  const needed = old.filter(({ isProposed, record }) => !isProposed || isOpen.has(record.key));
  const writes = await Promise.all(needed.map(item => reEncrypting(item, place.id, ring, log)));
  const intact = writes.filter(write => write !== undefined);
  for (const chunk of chunksWithin(maximumPerTransaction, intact, ({ bytes }) => ({ count: 1, bytes }))) {
    changed += await writeUnchanged(chunk.map(({ write }) => write));
  }
  return { changed, damaged: writes.length - intact.length };
}

/**
 * The places of the values of open proposals. The values of others expire: of those that were closed, and of those that
 * were being stored and, because of the fence, will not be committed.
 */
async function openProposals({ path, id }: Place, items: readonly Sealed[]): Promise<ReadonlySet<string>> {
  const places = [...new Set(items.flatMap(({ isProposed, record }) => (isProposed ? [record.key] : [])))];
  const found = await Promise.all(places.map(key => find(at(proposalRecord, path, key.slice(1)))));
  return new Set(places.filter((_, index) => found[index]?.environmentId === id && found[index].state === 'open'));
}

/** @returns undefined for a damaged item, which must not block the end of this rotation, or the next one */
async function reEncrypting(
  { key, record }: ReturnType<typeof parseItem>,
  environmentId: string,
  ring: KeyRing,
  log: Log,
): Promise<{ write: Write; bytes: number } | undefined> {
  try {
    if (!ring.canOpen(record)) throw new AlteredCiphertext(`${record.key} names a data key that does not exist.`);
    const value = await ring.open(environmentId, record);
    const sealed = await ring.seal(value, { environmentId, key: record.key, version: record.version });
    const set = { sealed, keyVersion: ring.keyVersion };
    // Compares the ciphertext, because key, version and revision may recur in an environment with the same slugs.
    const isSame = asRead<{ sealed?: Uint8Array | undefined }, 'sealed'>(record, ['sealed']);
    return { write: update({ entity: headRecord, key }, { set }, { if: isSame }), bytes: sealed.length };
  } catch (error) {
    if (!(error instanceof AlteredCiphertext)) throw error;
    log.error('a value could not be re-encrypted', error, { environmentId, version: record.version });
    return undefined;
  }
}

/**
 * Leaves out items that were replaced since they were read: because of the fence, that used the new key.
 * @returns how many were written
 */
async function writeUnchanged(writes: readonly Write[]): Promise<number> {
  try {
    await transact(writes);
    return writes.length;
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error;
    return writeUnchanged(writes.filter((_, index) => !error.indexes.includes(index)));
  }
}

/**
 * Ends a rotation after a step has failed permanently, so that another can start. All data keys stay; the next rotation
 * re-encrypts what this one left.
 */
export async function giveUpRotation(job: ReEncryptProject, log: Log): Promise<void> {
  const project = at(projectRecord, job.orgSlug, job.project);
  await transactIfHolds([
    update(project, { set: { 'rotation.failed': true } }, { if: isInProgress(job) }),
    endWork(job.projectId),
  ]);
  log.warn('gave up a key rotation', { projectId: job.projectId, toVersion: job.toVersion });
}

/** An absolute number that only increases, so a repeated step counts nothing twice. */
async function noteProgress(job: ReEncryptProject, { slug, rotation }: ProjectRecord, passed: number): Promise<void> {
  const reencrypted = Math.min(passed, rotation?.total ?? 0);
  const project = at(projectRecord, job.orgSlug, slug);
  const isBehind = { ...isInProgress(job), 'rotation.reencrypted': lessThan(reencrypted) };
  await transactIfHolds([update(project, { set: { 'rotation.reencrypted': reencrypted } }, { if: isBehind })]);
}

/**
 * Deletes the old wrapped key after two walks found no item that needs it. If a value could not be decrypted, the key
 * stays: an operator may restore the ciphertext. The next rotation checks again.
 */
async function complete(job: ReEncryptProject, project: ProjectRecord, damaged: number, log: Log): Promise<void> {
  const { toVersion } = job;
  const wrapped = project.wrappedKeys[String(toVersion)];
  if (project.rotation === null || wrapped === undefined) throw new Error('A rotation in progress has no new key.');
  const completed = { 'rotation.status': 'completed', 'rotation.reencrypted': project.rotation.total } as const;
  const set = { ...completed, ...(damaged === 0 ? { wrappedKeys: { [toVersion]: wrapped } } : {}) };
  await transactIfHolds([
    update(at(projectRecord, job.orgSlug, project.slug), { set }, { if: isInProgress(job) }),
    renewAccess({ id: job.organizationId, slug: job.orgSlug }),
    endWork(project.id),
  ]);
  log.info('completed a key rotation', { projectId: project.id, toVersion, damaged });
}

/** Fails if another delivery of the same job is further along. */
function isInProgress({ projectId, toVersion }: ReEncryptProject): Condition<ProjectRecord> {
  // Deleting the project destroys its data keys, and none may come back.
  const isUsable = isActive(projectId);
  return { ...isUsable, 'rotation.toVersion': equals(toVersion), 'rotation.status': equals('in_progress') };
}
