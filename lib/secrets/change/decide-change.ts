import type { MemberAccess } from '../../access/member-access.ts';
import { refuseDangerous } from '../../contracts/fields/refuse-dangerous.ts';
import type { ChangePlan } from '../../contracts/secrets/changes.ts';
import { ApiError } from '../../core/errors.ts';
import type { Log } from '../../core/logger.ts';
import { AlteredCiphertext } from '../../crypto/envelope.ts';
import type { EnvironmentPath } from '../../table/keys.ts';
import { find, readAll, readTogether } from '../../table/read.ts';
import type { EnvironmentState } from '../../table/records/environment.ts';
import type { HeadRecord } from '../../table/records/secret.ts';
import { ConditionFailed } from '../../table/write.ts';
import { stateAt } from '../engine/fencing.ts';
import { isLive } from '../engine/read-snapshot.ts';
import { expandsOf } from '../engine/references.ts';
import { secretSizeBytes } from '../engine/secret-size.ts';
import { StaleRead } from '../engine/stale-read.ts';
import { DecisionOutdated } from '../engine/write-change.ts';
import type { Change, CurrentSecrets, Decided, Decision, Put, Source, Target } from './change-request.ts';
import { AllHeadsNeeded, byKey, finishHeads, headsOfKeys, type TargetReads, withTombstones } from './read-target.ts';
import { requireOneChange } from './require-one-change.ts';
import { requireReferences } from './require-references.ts';
import { requireSecretCount, requireSize } from './require-space.ts';

/**
 * Lets the request decide, and checks that the result fits.
 * @throws the domain's errors; ConditionFailed, StaleRead to read again; DecisionOutdated if the source has changed
 */
export async function decideChange<Answer>(change: Change<Answer>, reads: TargetReads, target: Target) {
  const { path } = change;
  const heads = await finishHeads(reads);
  if ('named' in reads.heads) requireHeadsOf(target.state, heads);
  const decided = await decideOn(change, reads, target, heads).catch(async error => {
    if (error instanceof ApiError) await requireOneMoment(path, target, reads, undefined);
    throw error;
  });
  if (!decided.isWritten) await requireOneMoment(path, target, reads, decided.decision.from);
  return decided;
}

/**
 * A write requires that everything read is unchanged. A response without a write has to check it: heads read one by one
 * may not match the state, and the source of a copy may not match its target.
 * @throws ConditionFailed if the reads of the target don't match, DecisionOutdated if the source has changed
 */
async function requireOneMoment(
  path: EnvironmentPath,
  { state }: Target,
  { heads }: TargetReads,
  source: Source | undefined,
): Promise<void> {
  if ('named' in heads) await requireUnchanged(path, state, heads.keys, heads.named);
  if (source !== undefined) await requireBothUnchanged(source, path, state);
}

/** Reads the heads again, and then the state. If both are unchanged, the heads are of the state's revision. */
async function requireUnchanged(
  path: EnvironmentPath,
  { id, fence }: EnvironmentState,
  keys: readonly string[],
  earlierHeads: ReadonlyMap<string, HeadRecord>,
): Promise<void> {
  const heads = byKey(await readAll(headsOfKeys(path, keys)));
  const state = await find(stateAt(path));
  const isSame = state?.id === id && state.fence === fence && state.pending === undefined;
  // After an undo, the next change reuses the version number, with a different token.
  const isSameHead = (now: HeadRecord | undefined, earlier: HeadRecord | undefined) =>
    now?.version === earlier?.version && now?.fence === earlier?.fence;
  if (isSame && keys.every(key => isSameHead(heads.get(key), earlierHeads.get(key)))) return;
  throw new ConditionFailed([]);
}

/** A response about a copy is correct if neither environment changed before both were read. */
async function requireBothUnchanged(source: Source, path: EnvironmentPath, target: EnvironmentState): Promise<void> {
  const states = await readTogether({ source: stateAt(source.path), target: stateAt(path) });
  const isSame = (now: EnvironmentState | undefined, earlier: Pick<EnvironmentState, 'id' | 'revision'>) =>
    now?.id === earlier.id && now.revision === earlier.revision;
  if (!isSame(states.source, source)) throw new DecisionOutdated();
  if (!isSame(states.target, target)) throw new ConditionFailed([]);
}

/** @throws StaleRead if a head was read before this environment was created, and belongs to an earlier one */
function requireHeadsOf({ id, firstRevision }: EnvironmentState, heads: ReadonlyMap<string, HeadRecord>): void {
  const older = [...heads.values()].find(({ revision }) => revision <= firstRevision);
  if (older !== undefined) throw new StaleRead(`The head of ${older.key} is older than environment ${id}.`);
}

async function decideOn<Answer>(
  change: Change<Answer>,
  reads: TargetReads,
  target: Target,
  currentHeads: ReadonlyMap<string, HeadRecord>,
): Promise<Decided<Answer>> {
  const { context, path, dryRun } = change;
  const { state } = target;
  const decision = await change.decide(currentSecrets(change, target, currentHeads));
  const { approved } = change;
  const { access } = context;
  const mayRead = approved?.authorMayRead(state) ?? access.knowsValues(state);
  // What a dry run or a proposal tells such a caller depends on names and rights only.
  const isByNames = dryRun && !access.seesValues;
  requireMayName(access, state, decision.puts, mayRead);
  if (!isByNames) requireOneChange(decision, currentHeads, context.principal);
  // The tombstones of named keys were read with their heads.
  const hasTombstones = 'named' in reads.heads;
  const expands = state.expandingKeys !== undefined || decision.puts.some(({ expand }) => expand === true);
  const checksReferences = expands && !isByNames;
  if (checksReferences && hasTombstones) throw new AllHeadsNeeded();
  const before = hasTombstones || dryRun ? currentHeads : await withTombstones(path, currentHeads, decision.puts);
  const { userId: id, email } = context.principal;
  const heads = newHeads(decision, state, before, approved?.author ?? { id, email });
  requireSecretCount(access, reads.plans?.plans ?? {}, { ...target, before }, heads);
  if (!isByNames) requireSize(access, { ...target, before }, heads);
  if (checksReferences && heads.length > 0) {
    requireReferences({ ...target, before, heads, puts: decision.puts, mayRead });
  }
  const decidedPlan = planOf(decision, before);
  const plan = isByNames ? { ...decidedPlan, updated: [], unchanged: [], skipped: [] } : decidedPlan;
  const isWritten = heads.length > 0 && !dryRun;
  const revision = isWritten ? state.revision + 1 : state.revision;
  const after = new Map(heads.map(head => [head.key, head]));
  const answer = dryRun
    ? { dryRun, plan: inKeyOrder(plan), revision }
    : decision.answer({ changed: isWritten, revision, plan, head: key => after.get(key) ?? before.get(key) });
  return { decision, before, hasTombstones, heads, plan, isWritten, answer };
}

/**
 * A variable such as LD_PRELOAD controls the programs that get it, and so exposes their other values. Depends only on
 * names and role, so that it reveals nothing about the environment. @throws forbidden
 */
function requireMayName(
  access: MemberAccess,
  state: EnvironmentState,
  puts: readonly { key: string }[],
  mayRead: boolean,
): void {
  if (mayRead) return;
  const requested = puts.map(({ key }) => key);
  const keys = refuseDangerous(requested, { allowed: [] });
  const [first] = keys;
  if (first === undefined) return;
  const others = keys.length === 1 ? '' : ` (and ${keys.length - 1} more)`;
  const who = access.seesValues ? `The role ${access.role}` : 'A token for names only';
  const message =
    `${who} may not set ${first.key}${others} in ${state.type} environments: such a name can control ` +
    'which code runs or whom it trusts, so it takes the right to read the environment.';
  throw new ApiError(access.seesValues ? 'forbidden' : 'insufficient_scope', message, { details: { keys } });
}

function currentSecrets(
  { context: { access, log } }: Change<unknown>,
  target: Target,
  heads: ReadonlyMap<string, HeadRecord>,
): CurrentSecrets {
  const { state, ring } = target;
  const mayRead = access.knowsValues(state);
  return {
    state,
    ring,
    keys: () => [...heads.keys()],
    head: key => heads.get(key),
    hasValue: async put =>
      mayRead && put.generated !== true && (await holdsValue(target, heads.get(put.key), put, log)),
  };
}

/** A value that cannot be opened counts as different, because setting the key again repairs it. */
async function holdsValue({ state, ring }: Target, head: HeadRecord | undefined, put: Put, log: Log) {
  const { value, expand = false } = put;
  if (!isLive(head) || head.sizeBytes !== secretSizeBytes(head.key, value)) return false;
  if ((head.expands !== undefined) !== expand) return false;
  try {
    return (await ring.open(state.id, head)) === value;
  } catch (error) {
    if (!(error instanceof AlteredCiphertext)) throw error;
    log.error('a value that is being replaced could not be opened', error);
    return false;
  }
}

/** Separates the secrets that already have their value from those to put. */
export async function sortOutUnchanged(
  secrets: readonly Put[],
  { hasValue }: CurrentSecrets,
): Promise<Required<Pick<Decision<unknown>, 'puts' | 'unchanged'>>> {
  const same = await Promise.all(secrets.map(hasValue));
  const unchanged = secrets.filter((_, index) => same[index]).map(({ key }) => key);
  return { puts: secrets.filter((_, index) => !same[index]), unchanged };
}

function newHeads(
  { puts, deletions }: Pick<Decision<unknown>, 'puts' | 'deletions'>,
  state: EnvironmentState,
  before: ReadonlyMap<string, HeadRecord>,
  updatedBy: HeadRecord['updatedBy'],
): HeadRecord[] {
  const updatedAt = new Date().toISOString();
  const common = { revision: state.revision + 1, fence: state.fence + 1, updatedAt, updatedBy };
  const newHead = (key: string) => {
    const old = before.get(key);
    const createdAt = isLive(old) ? old.createdAt : updatedAt;
    return { key, version: (old?.version ?? 0) + 1, createdAt, ...common };
  };
  return [
    ...puts.map(({ key, value, expand }) => ({
      ...newHead(key),
      sizeBytes: secretSizeBytes(key, value),
      ...(expand === true && { expands: expandsOf(value) }),
    })),
    ...deletions.map(key => ({ ...newHead(key), deleted: true as const })),
  ];
}

/** The plan of a decision, in the order in which it lists the keys. Pure. */
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

function inKeyOrder(plan: ChangePlan): ChangePlan {
  const sorted = Object.entries(plan).map(([name, keys]) => [name, keys.toSorted()]);
  return Object.fromEntries(sorted) as ChangePlan;
}
