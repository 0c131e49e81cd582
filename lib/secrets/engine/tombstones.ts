import { chunksOf } from '../../core/chunks-of.ts';
import type { Log } from '../../core/logger.ts';
import { asRead, equals } from '../../table/expressions.ts';
import { ranges } from '../../table/keys.ts';
import { at, queryPage, readAll } from '../../table/read.ts';
import { type EnvironmentState, environmentStateRecord } from '../../table/records/environment.ts';
import { type HeadRecord, headRecord, type TombstoneRecord, tombstoneRecord } from '../../table/records/secret.ts';
import { withDeadline } from '../../table/retry.ts';
import { put, remove, transactIfHolds, update, type Write } from '../../table/write.ts';
import { type EnvironmentPath, partsOf } from './environment-path.ts';
import { stateAt } from './fencing.ts';

/*
 * A deleted key has a tombstone in the place of a head, where no reader passes. A small change puts it in the transaction
 * that removes the head. A large change can't, because readers need its heads until it commits: it leaves dead heads, and
 * they are moved after it. What is moved is committed and counts in no digest, so moving changes nothing that anyone reads.
 */

function tombstoneOf(head: HeadRecord): TombstoneRecord {
  const { key, version, revision, fence, createdAt, updatedAt, updatedBy } = head;
  return { key, version, revision, fence, deleted: true, createdAt, updatedAt, updatedBy };
}

export function putTombstone(path: EnvironmentPath, head: HeadRecord): Write {
  return put(at(tombstoneRecord, ...partsOf(path), head.key), tombstoneOf(head));
}

/** The latest tombstone of each key that has one. For keys without a head, read before this. */
export async function findTombstones(path: EnvironmentPath, keys: readonly string[]): Promise<HeadRecord[]> {
  const found = await readAll(keys.map(key => at(tombstoneRecord, ...partsOf(path), key)));
  return found.filter(tombstone => tombstone !== undefined);
}

/** Up to 100 writes go into a transaction. */
const movedPerTransaction = 45;
const transactionsAtOnce = 8;
/** So that a request that finds very many does not take long. The next ones go on. */
const movedAtOnce = 1000;
const movingTimeMs = 3000;

/**
 * Moves heads of deleted keys to the tombstones, as far as it gets. Whatever fails is left to the next change, because the
 * state says that there may be more.
 */
export async function moveDeadHeads(path: EnvironmentPath, log: Log): Promise<void> {
  try {
    await withDeadline(() => moveSome(path), movingTimeMs);
  } catch (error) {
    log.warn('could not move the heads of deleted keys', { ...path, reason: String(error) });
  }
}

async function moveSome(path: EnvironmentPath): Promise<void> {
  const { state, dead, isAll } = await findDeadHeads(path);
  if (state?.deadHeadsUpTo === undefined) return;
  for (const some of chunksOf(transactionsAtOnce, chunksOf(movedPerTransaction, dead))) {
    const moved = await Promise.all(some.map(heads => transactIfHolds(heads.flatMap(head => moving(path, head)))));
    // Another writer has set one of them again, or moves them as well.
    if (moved.includes(false)) return;
  }
  if (!isAll) return;
  const { id, deadHeadsUpTo } = state;
  const isStill = { id: equals(id), deadHeadsUpTo: equals(deadHeadsUpTo) };
  await transactIfHolds([update(stateAt(path), { set: { deadHeadsUpTo: undefined } }, { if: isStill })]);
}

/**
 * Demands the very head that was read: its revision tells it from one of an environment made later under these slugs, and
 * its token from one of another change.
 */
function moving(path: EnvironmentPath, head: HeadRecord): Write[] {
  const isSame = asRead(head, ['version', 'revision', 'fence', 'deleted']);
  return [remove(at(headRecord, ...partsOf(path), head.key), { if: isSame }), putTombstone(path, head)];
}

/** The committed heads of deleted keys, from the first one on. */
async function findDeadHeads(
  path: EnvironmentPath,
): Promise<{ state: EnvironmentState | undefined; dead: HeadRecord[]; isAll: boolean }> {
  const range = ranges.environmentHeads(...partsOf(path));
  let page = await queryPage(range);
  const [first, ...items] = page.items;
  const state = first?.kind === environmentStateRecord.kind ? environmentStateRecord.parse(first) : undefined;
  if (state?.deadHeadsUpTo === undefined || state.status !== 'active')
    return { state: undefined, dead: [], isAll: true };
  const deadIn = (some: typeof items) =>
    some.map(item => headRecord.parse(item)).filter(head => head.deleted === true && head.revision <= state.revision);
  const dead = deadIn(items);
  while (page.next !== undefined && dead.length < movedAtOnce) {
    page = await queryPage({ ...range, startAfter: page.next });
    dead.push(...deadIn(page.items));
  }
  const isAll = page.next === undefined && dead.length <= movedAtOnce;
  return { state, dead: dead.slice(0, movedAtOnce), isAll };
}
