import { newAuditEntry } from '../access/audit-write.ts';
import type { MemberAccess } from '../access/member-access.ts';
import type { MemberContext } from '../access/request-context.ts';
import type { AuditAction } from '../contracts/fields/audit-action.ts';
import { manyKeys } from '../contracts/fields/events.ts';
import { matchesRevision, type Precondition } from '../contracts/fields/preconditions.ts';
import type { ChangePlan, DryRun } from '../contracts/secrets/dry-run.ts';
import { ApiError } from '../core/errors.ts';
import type { Log } from '../core/logger.ts';
import { AlteredCiphertext } from '../crypto/envelope.ts';
import { findWebhooks, publishSecretEvent, type SecretEvent } from '../deliveries/publish.ts';
import { effectiveLimits, isUnlimited, planLimitExceeded } from '../plans/effective-limits.ts';
import type { EnvironmentState, TurnsRecord } from '../table/records/environment.ts';
import { type PlanConfigs, planConfigsRecord } from '../table/records/plan-configs.ts';
import { type ProjectRecord, projectRecord } from '../table/records/project.ts';
import { type HeadRecord, headRecord, tombstoneRecord } from '../table/records/secret.ts';
import type { WebhookRecord } from '../table/records/webhook.ts';
import { pauseBeforeRetry, reauthorize, retryBudget } from '../table/retry.ts';
import { at, ConditionFailed, find, type Page, readAll, readTogether, type Write } from '../table/store.ts';
import { type EnvironmentPath, partsOf } from './engine/environment-path.ts';
import { stateAt } from './engine/fencing.ts';
import { type KeyRing, keyRing } from './engine/key-ring.ts';
import { beginSnapshot, finishSnapshot, isLive, stateIn } from './engine/read-snapshot.ts';
import { maxEnvironmentBytes, secretSizeBytes } from './engine/secret-size.ts';
import { maximumStaleReads, StaleRead, staysInconsistent } from './engine/stale-read.ts';
import { findTombstones, moveDeadHeads } from './engine/tombstones.ts';
import { areWaiting, endTurn, pauseInTurnMs, takeTurn, turnsAt } from './engine/turns.ts';
import { waitForPendingChange } from './engine/undo-change.ts';
import {
  DecisionOutdated,
  fitsOneTransaction,
  leavesDeadHeads,
  sizeAfter,
  VersionTaken,
  writeChange,
} from './engine/write-change.ts';
import { hiddenRoomBytes } from './hidden-room.ts';

/*
 * The one way in which secrets change: set, delete, import, bulk delete, changes and promotion each only decide what to put
 * and what to delete. Everything that all of them promise is here: preconditions, limits, dry runs, one revision, the audit
 * entry in the same transaction, the events after it, and trying again when another change was first.
 */

/** Which heads a change must read: those of its keys, with their tombstones, or all. */
type Keys = readonly string[] | 'all';

/** Up to this many keys, single reads cost less than a Query over a large environment. */
const maximumNamedKeys = 40;

interface Reads {
  project: ProjectRecord | undefined;
  plans: PlanConfigs;
  state: EnvironmentState | undefined;
  heads: { named: ReadonlyMap<string, HeadRecord>; keys: readonly string[] } | { all: Page };
  turns: TurnsRecord | undefined;
}

/** What a change needs to know, read before its caller is known to be allowed. */
export interface ChangeReads {
  path: EnvironmentPath;
  keys: Keys;
  reads: Reads;
  webhooks: readonly WebhookRecord[];
}

/** One wave, to be begun together with authentication. */
export async function beginChange(path: EnvironmentPath, keys: Keys): Promise<ChangeReads> {
  const [reads, webhooks] = await Promise.all([readFor(path, keys), findWebhooks(path.orgSlug)]);
  return { path, keys, reads, webhooks };
}

async function readFor(path: EnvironmentPath, keys: Keys): Promise<Reads> {
  const project = at(projectRecord, path.orgSlug, path.project);
  const plans = at(planConfigsRecord);
  const turns = turnsAt(path);
  if (keys === 'all' || keys.length > maximumNamedKeys) {
    const [fixed, page] = await Promise.all([readTogether({ project, plans, turns }), beginSnapshot(path)]);
    return {
      project: fixed.project,
      plans: fixed.plans?.plans ?? {},
      state: stateIn(page),
      heads: { all: page },
      turns: fixed.turns,
    };
  }
  const [fixed, heads] = await Promise.all([
    readTogether({ project, plans, turns, state: stateAt(path) }),
    readNamed(path, keys),
  ]);
  return {
    project: fixed.project,
    plans: fixed.plans?.plans ?? {},
    state: fixed.state,
    heads: { named: heads, keys },
    turns: fixed.turns,
  };
}

async function readNamed(path: EnvironmentPath, keys: readonly string[]): Promise<ReadonlyMap<string, HeadRecord>> {
  const parts = partsOf(path);
  // A tombstone means nothing where there is a head, which comes after it.
  const found = await readAll<HeadRecord>(
    keys.flatMap(key => [at(tombstoneRecord, ...parts, key), at(headRecord, ...parts, key)]),
  );
  return byKey(found.filter(head => head !== undefined));
}

function byKey(heads: readonly HeadRecord[]): ReadonlyMap<string, HeadRecord> {
  return new Map(heads.map(head => [head.key, head]));
}

/** The environment as a change finds it. */
export interface CurrentSecrets {
  state: EnvironmentState;
  /** The keys that were read: all, if all were asked for. */
  keys(): string[];
  /** The key's head, deleted or not. */
  head(key: string): HeadRecord | undefined;
  /**
   * Whether the key has that value already. Always false where the caller may not read the environment: otherwise a
   * writer could test guesses of a value by whether they change anything.
   */
  hasValue(key: string, value: string): Promise<boolean>;
}

/** What the environment holds after the change, or still holds if nothing changed. */
export interface ChangeResult {
  changed: boolean;
  revision: number;
  /** What the change does, in the order in which it was asked for. */
  plan: ChangePlan;
  head(key: string): HeadRecord | undefined;
}

export interface Decision<Answer> {
  puts: readonly { key: string; value: string }[];
  /** Keys that are there. */
  deletions: readonly string[];
  /** Keys that have their value already. */
  unchanged?: readonly string[];
  /** Keys that are left as they are for another reason. */
  skipped?: readonly string[];
  /** How the audit log and the history call the change. */
  action: AuditAction;
  /** The revision that the values come from, for restorations. */
  restored?: number;
  /** The environment that the values come from, for promotions. The change commits only while it is at that revision. */
  from?: { path: EnvironmentPath; id: string; slug: string; revision: number; check: Write };
  answer(result: ChangeResult): Answer;
}

/** What every change of secrets takes. */
export interface ChangeOptions {
  /** The revision that the environment must be at. */
  ifMatch: Precondition | undefined;
  /** Why the change is made. */
  message?: string | undefined;
  /** Whether to answer only what the change would do. */
  dryRun: boolean;
}

interface ChangeRequest<Answer> extends ChangeOptions {
  /** What the change demands of its caller beyond the right to write the environment. */
  authorize?(access: MemberAccess): void;
  /** Called again for each try; throws the domain's errors. */
  decide(current: CurrentSecrets): Promise<Decision<Answer>>;
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

/**
 * Makes a change: all or nothing, one revision, or nothing at all where the decision is empty. A dry run takes every step
 * up to the write, and answers the plan.
 * @throws project_not_found, environment_not_found, forbidden, revision_mismatch, plan_limit_exceeded, payload_too_large,
 * temporarily_unavailable if other writers were always first, DecisionOutdated if the environment that the values come
 * from has changed, and what `decide` throws
 */
export async function changeSecrets<Answer>(
  context: MemberContext,
  begun: ChangeReads,
  request: ChangeRequest<Answer>,
): Promise<Answer | DryRun> {
  const change = { ...request, context, path: begun.path, entry: newAuditEntry() };
  const budget = retryBudget();
  let reads: Reads | undefined = begun.reads;
  let { keys } = begun;
  let staleReads = 0;
  let turn: number | undefined;
  let hasWaited = false;
  let hadTurn = false;
  let isJudged = true;
  const endOwnTurn = async () => {
    const own = turn;
    turn = undefined;
    if (own !== undefined) await endTurn(begun.path, own, context.log);
  };
  const waitForTurn = async () => {
    hasWaited = true;
    isJudged = false;
    turn = await takeTurn(begun.path, budget, context.log);
    hadTurn = turn !== undefined;
  };
  try {
    for (;;) {
      try {
        // The verdict takes no wave of its own. Nothing is done with what was read before it.
        const verdict = isJudged ? [] : [reauthorize()];
        isJudged = true;
        const [found] = await Promise.all([reads ?? readFor(begun.path, keys), ...verdict]);
        const tried = await tryChange(change, found, hasWaited, endOwnTurn);
        if ('answer' in tried) {
          await Promise.all([
            endOwnTurn(),
            ...tried.events.map(event => publishSecretEvent(event, begun.webhooks, context.log)),
            ...(tried.leftDeadHeads === true ? [moveDeadHeads(begun.path, context.log)] : []),
          ]);
          return tried.answer;
        }
        if (tried.needs === 'turn') {
          await waitForTurn();
        } else keys = tried.needs;
      } catch (error) {
        const isRefused = error instanceof ConditionFailed && !(error instanceof DecisionOutdated);
        if (error instanceof StaleRead) {
          staleReads += 1;
          if (staleReads >= maximumStaleReads) throw staysInconsistent(context.log, { ...begun.path }, error);
        } else if (!isRefused) throw error;
        if (error instanceof VersionTaken) keys = 'all';
        // Others are writing, too.
        if (isRefused && !hasWaited && !request.dryRun) {
          await waitForTurn();
        } else await pauseBeforeRetry(budget, error, isRefused && hadTurn ? pauseInTurnMs : undefined);
      }
      reads = undefined;
    }
  } finally {
    await endOwnTurn();
  }
}

interface Change<Answer> extends ChangeRequest<Answer> {
  context: MemberContext;
  path: EnvironmentPath;
  entry: ReturnType<typeof newAuditEntry>;
}

interface Made<Answer> {
  answer: Answer;
  events: readonly SecretEvent[];
  leftDeadHeads?: boolean;
}

/**
 * One try: read, decide, write.
 * @returns what else it has to read, if the heads that were read are not enough
 * @throws ConditionFailed, StaleRead if it has to be tried again
 */
async function tryChange<Answer>(
  change: Change<Answer>,
  reads: Reads,
  hasWaited: boolean,
  endOwnTurn: () => Promise<void>,
): Promise<Made<Answer | DryRun> | { needs: 'all' | 'turn' }> {
  const { context, path, ifMatch, message, dryRun } = change;
  const found = await openEnvironment(change, reads);
  // A dry run waits for no writer and undoes nothing. It takes a snapshot, which shows no change that is under way.
  if (found.state.pending !== undefined && 'named' in reads.heads) return { needs: 'all' };
  if (!hasWaited && !dryRun && areWaiting(reads.turns)) return { needs: 'turn' };
  const { state, ring } = found;
  if (ifMatch !== undefined && !matchesRevision(ifMatch, state.revision)) {
    throw new ApiError('revision_mismatch', `The environment is at revision ${state.revision}.`, {
      details: { currentRevision: state.revision },
    });
  }
  const current = currentSecrets(context, found);
  const { decision, before, heads: unsealed, plan } = await decideOn(change, reads, found, current);
  const { revision } = state;
  if (dryRun) return { answer: { dryRun, plan: inKeyOrder(plan), revision }, events: [] };
  if (unsealed.length === 0) {
    return { answer: decision.answer({ changed: false, revision, plan, head: current.head }), events: [] };
  }
  const values = new Map(decision.puts.map(({ key, value }) => [key, value]));
  const heads = await Promise.all(unsealed.map(head => sealHead(head, values.get(head.key), state.id, ring)));
  // A large change writes its versions without a condition on what they overwrite.
  if ('named' in reads.heads && !fitsOneTransaction(heads)) return { needs: 'all' };

  const after = byKey(heads);
  const head = (key: string) => after.get(key) ?? before.get(key);
  const answer = decision.answer({ changed: true, revision: revision + 1, plan, head });
  const audit = await auditPut(change, found, decision, heads);
  const checks = decision.from === undefined ? [] : [decision.from.check];
  const { restored } = decision;
  const isMixed = 'named' in reads.heads;
  const writable = { path, state, before, isMixed, heads, audit, checks, ring, message, restored };
  // By the time that the next writer has read, a commit of one transaction is through. If not, that writer is refused.
  const handOver = fitsOneTransaction(heads) ? [endOwnTurn()] : [];
  await Promise.all([writeChange(writable, context.log), ...handOver]);
  const leftDeadHeads = state.deadHeadsUpTo !== undefined || leavesDeadHeads(heads);
  return { answer, events: eventsOf(change, found, decision, heads), leftDeadHeads };
}

interface OpenEnvironment {
  project: ProjectRecord;
  state: EnvironmentState;
  ring: KeyRing;
  before: ReadonlyMap<string, HeadRecord>;
}

/**
 * The environment, at a moment when no change of it is under way, or for a dry run without that change.
 * @throws ConditionFailed, StaleRead to read again
 */
async function openEnvironment(
  { context, path, authorize, dryRun }: Change<unknown>,
  reads: Reads,
): Promise<OpenEnvironment> {
  const { access, organization, log } = context;
  const project = access.requireProject(reads.project);
  const state = access.requireEnvironment(reads.state, 'write');
  authorize?.(access);
  if (state.keyVersion > project.keyVersion) {
    throw new StaleRead(`Environment ${state.id} takes values under data key ${state.keyVersion} or newer only.`);
  }
  const ring = keyRing(organization.id, project);
  if (state.pending !== undefined && !dryRun) {
    await waitForPendingChange(path, state, ring, log);
    throw new ConditionFailed([]);
  }
  const before =
    'named' in reads.heads
      ? requireSameEnvironment(state, reads.heads.named)
      : byKey((await finishSnapshot(path, reads.heads.all)).heads);
  return { project, state, ring, before };
}

/** @throws StaleRead where a head was read before the environment was made: it is of an earlier one under these slugs */
function requireSameEnvironment(
  { id, firstRevision }: EnvironmentState,
  heads: ReadonlyMap<string, HeadRecord>,
): ReadonlyMap<string, HeadRecord> {
  const older = [...heads.values()].find(({ revision }) => revision <= firstRevision);
  if (older === undefined) return heads;
  throw new StaleRead(`The head of ${older.key} is older than environment ${id}.`);
}

function currentSecrets({ access, log }: MemberContext, { state, ring, before }: OpenEnvironment): CurrentSecrets {
  const mayRead = access.roleMay('read', state.type);
  return {
    state,
    keys: () => [...before.keys()],
    head: key => before.get(key),
    hasValue: async (key, value) => mayRead && (await holdsValue(ring, state.id, before.get(key), value, log)),
  };
}

/** What to change, and the resulting heads, still without ciphertexts. @throws the domain's errors */
async function decideOn<Answer>(
  { context, path, decide, dryRun }: Change<Answer>,
  reads: Reads,
  { project, state, before: found }: OpenEnvironment,
  current: CurrentSecrets,
): Promise<{
  decision: Decision<Answer>;
  before: ReadonlyMap<string, HeadRecord>;
  heads: HeadRecord[];
  plan: ChangePlan;
}> {
  const { access, principal } = context;
  const decided = await outcomeOf(async () => {
    const decision = await decide(current);
    // Those of named keys were read with their heads.
    const isWhole = 'all' in reads.heads && dryRun !== true;
    const before = isWhole ? await withTombstones(path, found, decision.puts) : found;
    const heads = newHeads(decision, state, before, { id: principal.userId, email: principal.email });
    requireRoom(access, reads.plans, { project, state, before }, heads);
    return { decision, before, heads, plan: planOf(decision, before) };
  });
  // Heads read one by one may be of another moment than the state. What is written is conditioned on both; what is only
  // answered has to be looked at again.
  const writes = 'result' in decided && decided.result.heads.length > 0 && !dryRun;
  if (!writes && 'named' in reads.heads) await requireUnchanged(path, state, reads.heads.keys, found);
  if ('error' in decided) throw decided.error;
  const { from } = decided.result.decision;
  if (!writes && from !== undefined) await requireBothUnchanged(from, path, state);
  return decided.result;
}

/** Adds the newest deletions of keys that are to be set and have no head, so that version numbers go on. */
async function withTombstones(
  path: EnvironmentPath,
  heads: ReadonlyMap<string, HeadRecord>,
  puts: readonly { key: string }[],
): Promise<ReadonlyMap<string, HeadRecord>> {
  const created = puts.map(({ key }) => key).filter(key => !heads.has(key));
  return new Map([...heads, ...byKey(await findTombstones(path, created))]);
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

function inKeyOrder({ created, updated, unchanged, deleted, skipped }: ChangePlan): ChangePlan {
  return {
    created: created.toSorted(),
    updated: updated.toSorted(),
    unchanged: unchanged.toSorted(),
    deleted: deleted.toSorted(),
    skipped: skipped.toSorted(),
  };
}

function auditPut(
  { context, entry, message }: Change<unknown>,
  { project, state }: OpenEnvironment,
  { action, from, restored }: Decision<unknown>,
  heads: readonly HeadRecord[],
): Promise<Write> {
  const source =
    from === undefined
      ? {}
      : {
          from: { id: from.id, slug: from.slug, revision: from.revision },
          details: { from: { slug: from.slug, revision: from.revision } },
        };
  return context.audit({
    action,
    target: { type: 'project', id: project.id, name: project.slug },
    environment: { id: state.id, slug: state.slug },
    keys: heads.map(({ key }) => key),
    revision: state.revision + 1,
    ...source,
    ...(restored === undefined ? {} : { details: { restored } }),
    message,
    entry,
  });
}

/**
 * What is only answered of a copy, and not written, holds where neither the source nor the target changed until after both
 * were read.
 * @throws DecisionOutdated where the source did, ConditionFailed where the target did
 */
async function requireBothUnchanged(
  from: NonNullable<Decision<unknown>['from']>,
  path: EnvironmentPath,
  target: EnvironmentState,
): Promise<void> {
  const states = await readTogether({ source: stateAt(from.path), target: stateAt(path) });
  const isSame = (one: EnvironmentState | undefined, other: Pick<EnvironmentState, 'id' | 'revision'>) =>
    one?.id === other.id && one.revision === other.revision;
  if (!isSame(states.source, from)) throw new DecisionOutdated([]);
  if (!isSame(states.target, target)) throw new ConditionFailed([]);
}

/**
 * The events of a change: that of the one key where one changes, else one for all that was set and one for all that was
 * deleted. A promotion's is always its own, because it names the source. Pure.
 */
function eventsOf(
  { context: { organization, principal }, message }: Change<unknown>,
  { project, state, before }: OpenEnvironment,
  { from }: Decision<unknown>,
  heads: readonly HeadRecord[],
): SecretEvent[] {
  const revision = state.revision + 1;
  const why = message === undefined ? {} : { message };
  const common = {
    organizationId: organization.id,
    project: { id: project.id, slug: project.slug },
    environment: { id: state.id, slug: state.slug },
    actor: { id: principal.userId, email: principal.email },
  };
  const ofMany = (event: SecretEvent['event'], changed: readonly HeadRecord[], source = {}): SecretEvent[] => {
    const metadata = { keys: changed.map(({ key }) => key), revision, ...source, ...why };
    return changed.length === 0 ? [] : [{ ...common, event, key: manyKeys, metadata }];
  };
  if (from !== undefined) return ofMany('secret.promoted', heads, { from: { id: from.id, slug: from.slug } });
  const [single] = heads;
  if (single !== undefined && heads.length === 1) {
    const event = isLive(single) ? setEvent(before.get(single.key)) : 'secret.deleted';
    return [{ ...common, event, key: single.key, metadata: { version: single.version, revision, ...why } }];
  }
  return [
    ...ofMany('secret.bulk_set', heads.filter(isLive)),
    ...ofMany(
      'secret.bulk_delete',
      heads.filter(head => !isLive(head)),
    ),
  ];
}

/** What setting a key is called, by the head that it replaces. */
export function setEvent(before: HeadRecord | undefined) {
  return isLive(before) ? 'secret.updated' : 'secret.created';
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

/**
 * Reads the heads again and then the state. Where both are as before, nothing was changed from the first read of the state
 * to the second, and the heads in between are those of its revision.
 * @throws ConditionFailed if the first read was not of one moment
 */
async function requireUnchanged(
  path: EnvironmentPath,
  { id, fence }: EnvironmentState,
  keys: readonly string[],
  before: ReadonlyMap<string, HeadRecord>,
): Promise<void> {
  const heads = await readNamed(path, keys);
  const state = await find(stateAt(path));
  const isSame = state?.id === id && state.fence === fence && state.pending === undefined;
  // A version of a change that was undone since has the number of the one that was written in its place.
  const isSameHead = (one: HeadRecord | undefined, other: HeadRecord | undefined) =>
    one?.version === other?.version && one?.fence === other?.fence;
  if (isSame && keys.every(key => isSameHead(heads.get(key), before.get(key)))) return;
  throw new ConditionFailed([]);
}

/** A value that cannot be opened counts as different, because setting the key again repairs it. */
async function holdsValue(
  ring: KeyRing,
  environmentId: string,
  head: HeadRecord | undefined,
  value: string,
  log: Log,
): Promise<boolean> {
  if (!isLive(head) || head.sizeBytes !== secretSizeBytes(head.key, value)) return false;
  try {
    return (await ring.open(environmentId, head)) === value;
  } catch (error) {
    if (!(error instanceof AlteredCiphertext)) throw error;
    log.error('a value that is being replaced could not be opened', error);
    return false;
  }
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

async function sealHead(
  head: HeadRecord,
  value: string | undefined,
  environmentId: string,
  ring: KeyRing,
): Promise<HeadRecord> {
  if (value === undefined) return head;
  const sealed = await ring.seal(value, { environmentId, key: head.key, version: head.version });
  return { ...head, sealed, keyVersion: ring.keyVersion };
}

/** Only growth is refused, so that an environment over a lowered limit can still be changed and emptied. */
function requireRoom(
  access: MemberAccess,
  plans: PlanConfigs,
  { project, state, before }: Pick<OpenEnvironment, 'project' | 'state' | 'before'>,
  heads: readonly HeadRecord[],
): void {
  const after = sizeAfter({ state, before, heads });
  const limit = effectiveLimits(access.organization, plans).effective.maxSecretsPerEnvironment;
  if (after.secretCount > state.secretCount && !isUnlimited(limit) && after.secretCount > limit) {
    throw planLimitExceeded('maxSecretsPerEnvironment', limit, state.secretCount);
  }
  if (!access.roleMay('read', state.type)) {
    // Counting what a replaced value frees would tell its length to a writer who may not read it.
    const added = heads.reduce((sum, { sizeBytes }) => sum + (sizeBytes ?? 0), 0);
    const bound = maxEnvironmentBytes - hiddenRoomBytes(project, state);
    if (added > 0 && state.sizeBytes + added > bound) throw environmentFull({});
  } else if (after.sizeBytes > state.sizeBytes && after.sizeBytes > maxEnvironmentBytes) {
    throw environmentFull({ sizeBytes: after.sizeBytes });
  }
}

function environmentFull(details: { sizeBytes?: number }): ApiError {
  return new ApiError(
    'payload_too_large',
    `This does not fit: an environment holds at most ${maxEnvironmentBytes} bytes.`,
    {
      details: { ...details, maximumBytes: maxEnvironmentBytes },
    },
  );
}
