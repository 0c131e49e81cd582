import type { ChangePlan } from '../../contracts/secrets/dry-run.ts';
import { ApiError } from '../../core/errors.ts';
import type { Log } from '../../core/logger.ts';
import { AlteredCiphertext } from '../../crypto/envelope.ts';
import type { EnvironmentState } from '../../table/records/environment.ts';
import type { HeadRecord } from '../../table/records/secret.ts';
import { isLive } from '../engine/read-snapshot.ts';
import { secretSizeBytes } from '../engine/secret-size.ts';
import type { Change, CurrentSecrets, Decision } from './change-request.ts';
import { headsOf, requireOneMoment, type Target, type TargetReads, withTombstones } from './read-target.ts';
import { requireSpace } from './require-space.ts';

/** What is to be changed. */
export interface Decided<Answer> {
  decision: Decision<Answer>;
  /** The heads as they are, by key, or tombstones; those of the change at least. */
  before: ReadonlyMap<string, HeadRecord>;
  /** The heads to come, still without ciphertexts. None where nothing changes. */
  heads: HeadRecord[];
  plan: ChangePlan;
}

/**
 * Asks the request what to change, and checks that it fits.
 * @throws the domain's errors; ConditionFailed, StaleRead to read again; DecisionOutdated where the source has changed
 */
export async function decideChange<Answer>(
  change: Change<Answer>,
  reads: TargetReads,
  target: Target,
): Promise<Decided<Answer>> {
  const { context, path, dryRun } = change;
  const { state } = target;
  const found = await headsOf(target, reads);
  const outcome = await outcomeOf(async () => {
    const decision = await change.decide(currentSecrets(change, target, found));
    // Those of named keys were read with their heads.
    const isIncomplete = 'all' in reads.heads && !dryRun;
    const before = isIncomplete ? await withTombstones(path, found, decision.puts) : found;
    const { userId: id, email } = context.principal;
    const heads = newHeads(decision, state, before, { id, email });
    requireSpace(context.access, reads.plans?.plans ?? {}, { ...target, before }, heads);
    return { decision, before, heads, plan: planOf(decision, before) };
  });
  const isWritten = 'result' in outcome && outcome.result.heads.length > 0 && !dryRun;
  if (!isWritten) {
    await requireOneMoment(path, target, reads, 'result' in outcome ? outcome.result.decision.from : undefined);
  }
  if ('error' in outcome) throw outcome.error;
  return outcome.result;
}

/** The result, or the domain error that `work` ended with. */
async function outcomeOf<T>(work: () => Promise<T>): Promise<{ result: T } | { error: ApiError }> {
  try {
    return { result: await work() };
  } catch (error) {
    if (error instanceof ApiError) return { error };
    throw error;
  }
}

function currentSecrets(
  { context: { access, log } }: Change<unknown>,
  target: Target,
  heads: ReadonlyMap<string, HeadRecord>,
): CurrentSecrets {
  const { state } = target;
  const mayRead = access.roleMay('read', state.type);
  return {
    state,
    keys: () => [...heads.keys()],
    head: key => heads.get(key),
    hasValue: async (key, value) => mayRead && (await holdsValue(target, heads.get(key), value, log)),
  };
}

/** A value that cannot be opened counts as different, because setting the key again repairs it. */
async function holdsValue(
  { state, ring }: Target,
  head: HeadRecord | undefined,
  value: string,
  log: Log,
): Promise<boolean> {
  if (!isLive(head) || head.sizeBytes !== secretSizeBytes(head.key, value)) return false;
  try {
    return (await ring.open(state.id, head)) === value;
  } catch (error) {
    if (!(error instanceof AlteredCiphertext)) throw error;
    log.error('a value that is being replaced could not be opened', error);
    return false;
  }
}

/** The secrets to put, without those that are there with the same value. */
export async function sortOutUnchanged(
  secrets: readonly { key: string; value: string }[],
  { hasValue }: CurrentSecrets,
): Promise<Required<Pick<Decision<unknown>, 'puts' | 'unchanged'>>> {
  const same = await Promise.all(secrets.map(({ key, value }) => hasValue(key, value)));
  return {
    puts: secrets.filter((_, index) => !same[index]),
    unchanged: secrets.filter((_, index) => same[index]).map(({ key }) => key),
  };
}

/** The heads to come, still without their ciphertexts. Pure but for the time. */
function newHeads(
  { puts, deletions }: Pick<Decision<unknown>, 'puts' | 'deletions'>,
  state: EnvironmentState,
  before: ReadonlyMap<string, HeadRecord>,
  updatedBy: HeadRecord['updatedBy'],
): HeadRecord[] {
  const updatedAt = new Date().toISOString();
  const newHead = (key: string) => {
    const old = before.get(key);
    return {
      key,
      version: (old?.version ?? 0) + 1,
      revision: state.revision + 1,
      fence: state.fence + 1,
      createdAt: isLive(old) ? old.createdAt : updatedAt,
      updatedAt,
      updatedBy,
    };
  };
  return [
    ...puts.map(({ key, value }) => ({ ...newHead(key), sizeBytes: secretSizeBytes(key, value) })),
    ...deletions.map(key => ({ ...newHead(key), deleted: true as const })),
  ];
}

/** What the decision comes to, in its order. Pure. */
function planOf(
  { puts, deletions, unchanged = [], skipped = [] }: Decision<unknown>,
  before: ReadonlyMap<string, HeadRecord>,
): ChangePlan {
  const names = puts.map(({ key }) => key);
  return {
    created: names.filter(key => !isLive(before.get(key))),
    updated: names.filter(key => isLive(before.get(key))),
    unchanged: [...unchanged],
    deleted: [...deletions],
    skipped: [...skipped],
  };
}

/** The plan as a dry run answers it. */
export function inKeyOrder({ created, updated, unchanged, deleted, skipped }: ChangePlan): ChangePlan {
  return {
    created: created.toSorted(),
    updated: updated.toSorted(),
    unchanged: unchanged.toSorted(),
    deleted: deleted.toSorted(),
    skipped: skipped.toSorted(),
  };
}
