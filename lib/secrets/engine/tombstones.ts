import { chunksOf } from '../../core/chunks-of.ts';
import type { Log } from '../../core/logger.ts';
import { asRead, equals } from '../../table/expressions.ts';
import { type EnvironmentPath, ranges } from '../../table/keys.ts';
import { at, queryPage, readAll } from '../../table/read.ts';
import { type HeadRecord, headRecord, tombstoneRecord } from '../../table/records/secret.ts';
import { withDeadline } from '../../table/retry.ts';
import { put, remove, transactIfHolds, update, type Write } from '../../table/write.ts';
import { stateAt } from './fencing.ts';
import { type FirstPage, readFirstPage } from './read-snapshot.ts';

/*
 * Tombstones of deleted keys are stored apart from the heads, so reads skip them. A large change can't write them,
 * because readers need its heads until it commits: it leaves dead heads, which are moved afterwards. Readers don't
 * notice, because dead heads are committed and not part of the digest.
 */

export function putTombstone(path: EnvironmentPath, head: HeadRecord): Write {
  const { key, version, revision, fence, createdAt, updatedAt, updatedBy } = head;
  const tombstone = { key, version, revision, fence, deleted: true as const, createdAt, updatedAt, updatedBy };
  return put(at(tombstoneRecord, path, key), tombstone);
}

export async function findTombstones(path: EnvironmentPath, keys: readonly string[]): Promise<HeadRecord[]> {
  const tombstones = await readAll(keys.map(key => at(tombstoneRecord, path, key)));
  return tombstones.filter(tombstone => tombstone !== undefined);
}

const movedPerTransaction = 45;
const transactionsAtOnce = 8;
/** Bounds how long one request takes. Later requests move the rest. */
const movedAtOnce = 1000;
const movingTimeMs = 3000;

/** Moves dead heads to the tombstones. After a failure the next change continues, because the state records them. */
export async function moveDeadHeads(path: EnvironmentPath, log: Log): Promise<void> {
  try {
    await withDeadline(() => moveSome(path), movingTimeMs);
  } catch (error) {
    log.warn('could not move the heads of deleted keys', { ...path, reason: String(error) });
  }
}

async function moveSome(path: EnvironmentPath): Promise<void> {
  const firstPage = await readFirstPage(path);
  const { state } = firstPage;
  if (state?.deadHeadsUpTo === undefined || state.status !== 'active') return;
  const { dead, isAll } = await findDeadHeads(firstPage, state.revision);
  for (const chunks of chunksOf(transactionsAtOnce, chunksOf(movedPerTransaction, dead))) {
    const moved = await Promise.all(chunks.map(heads => transactIfHolds(heads.flatMap(head => moving(path, head)))));
    // Another writer has set one of them again, or is moving them too.
    if (moved.includes(false)) return;
  }
  if (!isAll) return;
  const { id, deadHeadsUpTo } = state;
  const isStill = { id: equals(id), deadHeadsUpTo: equals(deadHeadsUpTo) };
  await transactIfHolds([update(stateAt(path), { set: { deadHeadsUpTo: undefined } }, { if: isStill })]);
}

/** Requires the exact head that was read, and not one of another change or of a later environment with these slugs. */
function moving(path: EnvironmentPath, head: HeadRecord): Write[] {
  const isSame = asRead(head, ['version', 'revision', 'fence', 'deleted']);
  return [remove(at(headRecord, path, head.key), { if: isSame }), putTombstone(path, head)];
}

async function findDeadHeads({ path, page: first }: FirstPage, revision: number) {
  const dead: HeadRecord[] = [];
  let page = { ...first, items: first.items.slice(1) };
  for (;;) {
    const heads = page.items.map(item => headRecord.parse(item));
    dead.push(...heads.filter(head => head.deleted === true && head.revision <= revision));
    if (page.next === undefined || dead.length >= movedAtOnce) break;
    page = await queryPage({ ...ranges.environmentHeads(path), startAfter: page.next });
  }
  return { dead: dead.slice(0, movedAtOnce), isAll: page.next === undefined && dead.length <= movedAtOnce };
}
