import { randomUUID } from 'node:crypto';
import type { MemberAccess } from '../access/member-access.ts';
import type { MemberContext } from '../access/request-context.ts';
import { type EventName, manyKeys } from '../contracts/fields/events.ts';
import { matchesRevision, type Precondition } from '../contracts/fields/preconditions.ts';
import { ApiError } from '../core/errors.ts';
import type { Log } from '../core/logger.ts';
import { AlteredCiphertext } from '../crypto/envelope.ts';
import { findWebhooks, publishSecretEvent } from '../deliveries/publish.ts';
import { effectiveLimits, isUnlimited, planLimitExceeded } from '../plans/effective-limits.ts';
import { type EnvironmentState, environmentStateRecord } from '../table/records/environment.ts';
import { type PlanConfigs, planConfigsRecord } from '../table/records/plan-configs.ts';
import { type ProjectRecord, projectRecord } from '../table/records/project.ts';
import { type HeadRecord, headRecord } from '../table/records/secret.ts';
import type { WebhookRecord } from '../table/records/webhook.ts';
import { pauseBeforeRetry, type RetryBudget, retryBudget } from '../table/retry.ts';
import { at, ConditionFailed, type Page, readAll, readTogether } from '../table/store.ts';
import { type EnvironmentPath, partsOf } from './engine/environment-path.ts';
import { type KeyRing, keyRing } from './engine/key-ring.ts';
import { beginSnapshot, finishSnapshot, isLive, stateIn } from './engine/read-snapshot.ts';
import { maxEnvironmentBytes, secretSizeBytes } from './engine/secret-size.ts';
import { maximumStaleReads, StaleRead, staysInconsistent } from './engine/stale-read.ts';
import { waitUntilSettled } from './engine/undo-change.ts';
import { contentAfter, fitsOneTransaction, writeChange } from './engine/write-change.ts';

/*
 * The one way in which secrets change: set, delete, import, bulk delete and promotion each only decide what to put and what
 * to delete. Everything that all of them promise is here: preconditions, limits, one revision, the audit entry in the same
 * transaction, an event after it, and trying again when somebody else was first.
 */

/** Which heads a change has to know: those of its keys, or all. */
type Keys = readonly string[] | 'all';

/** Up to here single reads cost less than the Query over a whole environment may. */
const maximumNamedKeys = 40;

interface Reads {
  project: ProjectRecord | undefined;
  plans: PlanConfigs;
  state: EnvironmentState | undefined;
  heads: { named: ReadonlyMap<string, HeadRecord>; keys: readonly string[] } | { all: Page };
}

/** What a change needs to know, read before its caller is known to be allowed. */
export interface BegunChange {
  path: EnvironmentPath;
  keys: Keys;
  reads: Reads;
  webhooks: readonly WebhookRecord[];
}

/** One wave, to be begun together with authentication. */
export async function beginChange(path: EnvironmentPath, keys: Keys): Promise<BegunChange> {
  const [reads, webhooks] = await Promise.all([readFor(path, keys), findWebhooks(path.orgSlug)]);
  return { path, keys, reads, webhooks };
}

async function readFor(path: EnvironmentPath, keys: Keys): Promise<Reads> {
  const project = at(projectRecord, path.orgSlug, path.project);
  const plans = at(planConfigsRecord);
  if (keys === 'all' || keys.length > maximumNamedKeys) {
    const [fixed, page] = await Promise.all([readTogether({ project, plans }), beginSnapshot(path)]);
    return { project: fixed.project, plans: fixed.plans?.plans ?? {}, state: stateIn(page), heads: { all: page } };
  }
  const [fixed, heads] = await Promise.all([
    readTogether({ project, plans, state: at(environmentStateRecord, ...partsOf(path)) }),
    readAll(keys.map(key => at(headRecord, ...partsOf(path), key))),
  ]);
  return {
    project: fixed.project,
    plans: fixed.plans?.plans ?? {},
    state: fixed.state,
    heads: { named: byKey(heads.filter(head => head !== undefined)), keys },
  };
}

function byKey(heads: readonly HeadRecord[]): ReadonlyMap<string, HeadRecord> {
  return new Map(heads.map(head => [head.key, head]));
}

/** The environment as a change finds it. */
export interface Standing {
  state: EnvironmentState;
  /** The key's head, deleted or not. */
  head(key: string): HeadRecord | undefined;
  /**
   * Whether the key has that value already. Always false where the caller may not read the environment: otherwise a
   * writer could test guesses of a value by whether they change anything.
   */
  hasValue(key: string, value: string): Promise<boolean>;
}

/** What the environment holds after the change, or still holds where nothing was to be changed. */
export interface Outcome {
  changed: boolean;
  revision: number;
  head(key: string): HeadRecord | undefined;
}

export interface Decision<Answer> {
  puts: readonly { key: string; value: string }[];
  /** Keys that are there. */
  deletions: readonly string[];
  event: EventName;
  /** The environment that the values come from, for promotions. */
  from?: { id: string; slug: string };
  answer(outcome: Outcome): Answer;
}

/** What every change of secrets takes. */
export interface ChangeOptions {
  /** The revision that the environment must be at. */
  ifMatch: Precondition | undefined;
}

interface ChangeRequest<Answer> extends ChangeOptions {
  /** Called again for each attempt; throws the domain's errors. */
  decide(standing: Standing): Promise<Decision<Answer>>;
}

/**
 * Makes a change: all or nothing, one revision, or nothing at all where the decision is empty.
 * @throws project_not_found, environment_not_found, forbidden, revision_mismatch, plan_limit_exceeded, payload_too_large,
 * whatever `decide` throws, and temporarily_unavailable when others kept getting in first
 */
export async function changeSecrets<Answer>(
  context: MemberContext,
  begun: BegunChange,
  request: ChangeRequest<Answer>,
): Promise<Answer> {
  const budget = retryBudget();
  const change: OpenChange<Answer> = {
    ...request,
    context,
    path: begun.path,
    changeId: randomUUID(),
    budget,
  };
  let reads: Reads | undefined = begun.reads;
  let keys = begun.keys;
  let staleReads = 0;
  for (;;) {
    try {
      const done = await attempt(change, reads ?? (await readFor(begun.path, keys)));
      if (done !== 'needs all heads') {
        if (done.event !== undefined) await publishSecretEvent(done.event, begun.webhooks, context.log);
        return done.answer;
      }
      keys = 'all';
      reads = undefined;
    } catch (error) {
      if (error instanceof StaleRead) {
        staleReads += 1;
        if (staleReads >= maximumStaleReads) throw staysInconsistent(context.log, { ...begun.path }, error);
      } else if (!(error instanceof ConditionFailed)) throw error;
      reads = undefined;
      await pauseBeforeRetry(budget, error);
    }
  }
}

interface OpenChange<Answer> extends ChangeRequest<Answer> {
  context: MemberContext;
  path: EnvironmentPath;
  changeId: string;
  budget: RetryBudget;
  /** What the last attempt wrote, in case it did commit although it seemed refused. */
  written?: Done<Answer>;
}

interface Done<Answer> {
  answer: Answer;
  event?: Parameters<typeof publishSecretEvent>[0];
}

/**
 * One attempt: read, decide, write.
 * @throws ConditionFailed, StaleRead when it has to be made again
 */
async function attempt<Answer>(change: OpenChange<Answer>, reads: Reads): Promise<Done<Answer> | 'needs all heads'> {
  const { context, path, changeId, ifMatch, budget, decide } = change;
  const { access, organization, principal, log } = context;
  const project = access.requireProject(reads.project);
  const state = access.requireEnvironment(reads.state, 'write');
  if (state.changeId === changeId && change.written !== undefined) return change.written;
  const ring = keyRing(organization.id, project);
  if (state.pending !== undefined) {
    await waitUntilSettled(path, state, changeId, ring, budget, log);
    throw new ConditionFailed([]);
  }
  const before =
    'named' in reads.heads ? reads.heads.named : byKey((await finishSnapshot(path, reads.heads.all)).heads);
  if (ifMatch !== undefined && !matchesRevision(ifMatch, state.revision)) {
    throw new ApiError('revision_mismatch', `The environment is at revision ${state.revision}.`, {
      details: { currentRevision: state.revision },
    });
  }

  const mayRead = access.roleMay('read', state.type);
  const standing: Standing = {
    state,
    head: key => before.get(key),
    hasValue: async (key, value) => mayRead && (await holdsValue(ring, state.id, before.get(key), value, log)),
  };
  const drafted = await conclude(async () => {
    const decision = await decide(standing);
    const drafts = draftHeads(decision, state, before, { id: principal.userId, email: principal.email });
    requireRoom(access, reads.plans, state, before, drafts);
    return { decision, drafts };
  });
  // Heads read one by one may be of another moment than the state. What is written is conditioned on both; what is only
  // answered has to be looked at again.
  const answersOnly = 'refusal' in drafted || drafted.result.drafts.length === 0;
  if (answersOnly && 'named' in reads.heads) await requireUnchanged(path, state, reads.heads.keys, before);
  if ('refusal' in drafted) throw drafted.refusal;
  const { decision, drafts } = drafted.result;
  if (drafts.length === 0) {
    const outcome = { changed: false, revision: state.revision, head: standing.head };
    return { answer: decision.answer(outcome) };
  }

  const values = new Map(decision.puts.map(({ key, value }) => [key, value]));
  const heads = await Promise.all(drafts.map(draft => sealDraft(draft, values.get(draft.key), state.id, ring)));
  if (!fitsOneTransaction(heads) && 'named' in reads.heads) return 'needs all heads';
  const revision = state.revision + 1;
  const environment = { id: state.id, slug: state.slug };
  const keys = heads.map(({ key }) => key);
  const audit = await context.audit({
    action: decision.event,
    target: { type: 'project', id: project.id, name: project.slug },
    environment,
    keys,
    revision,
  });
  const after = byKey(heads);
  const [single] = heads;
  const isSingle = singleKeyEvents.has(decision.event) && single !== undefined;
  const done: Done<Answer> = {
    answer: decision.answer({ changed: true, revision, head: key => after.get(key) ?? before.get(key) }),
    event: {
      organizationId: organization.id,
      project: { id: project.id, slug: project.slug },
      environment,
      event: decision.event,
      key: isSingle ? single.key : manyKeys,
      actor: { id: principal.userId, email: principal.email },
      metadata: isSingle
        ? { version: single.version, revision }
        : { keys, revision, ...(decision.from === undefined ? {} : { from: decision.from }) },
    },
  };
  change.written = done;
  await writeChange({ path, changeId, state, before, heads, audit, ring }, budget, log);
  return done;
}

const singleKeyEvents: ReadonlySet<EventName> = new Set(['secret.created', 'secret.updated', 'secret.deleted']);

/** The result, or the domain error that `work` ended with. */
async function conclude<T>(work: () => Promise<T>): Promise<{ result: T } | { refusal: ApiError }> {
  try {
    return { result: await work() };
  } catch (error) {
    if (error instanceof ApiError) return { refusal: error };
    throw error;
  }
}

/** @throws ConditionFailed when a second look does not find the same: the first was no picture of one moment. */
async function requireUnchanged(
  path: EnvironmentPath,
  state: EnvironmentState,
  keys: readonly string[],
  before: ReadonlyMap<string, HeadRecord>,
): Promise<void> {
  const again = await readFor(path, keys);
  const heads = 'named' in again.heads ? again.heads.named : undefined;
  const same =
    again.state?.revision === state.revision &&
    again.state.pending === undefined &&
    keys.every(key => heads?.get(key)?.version === before.get(key)?.version);
  if (!same) throw new ConditionFailed([]);
}

/** A value that cannot be opened is not the same: setting the key again is how it is repaired. */
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
function draftHeads(
  { puts, deletions }: Pick<Decision<unknown>, 'puts' | 'deletions'>,
  state: EnvironmentState,
  before: ReadonlyMap<string, HeadRecord>,
  updatedBy: HeadRecord['updatedBy'],
): HeadRecord[] {
  const updatedAt = new Date().toISOString();
  const draft = (key: string) => {
    const old = before.get(key);
    return {
      key,
      version: (old?.version ?? 0) + 1,
      revision: state.revision + 1,
      createdAt: isLive(old) ? old.createdAt : updatedAt,
      updatedAt,
      updatedBy,
    };
  };
  return [
    ...puts.map(({ key, value }) => ({ ...draft(key), sizeBytes: secretSizeBytes(key, value) })),
    ...deletions.map(key => ({ ...draft(key), deleted: true as const })),
  ];
}

async function sealDraft(
  draft: HeadRecord,
  value: string | undefined,
  environmentId: string,
  ring: KeyRing,
): Promise<HeadRecord> {
  if (value === undefined) return draft;
  const sealed = await ring.seal(value, { environmentId, key: draft.key, version: draft.version });
  return { ...draft, sealed, keyVersion: ring.keyVersion };
}

/** Only growth is refused, so that whoever is over a limit that was lowered can still change and delete. */
function requireRoom(
  access: MemberAccess,
  plans: PlanConfigs,
  state: EnvironmentState,
  before: ReadonlyMap<string, HeadRecord>,
  heads: readonly HeadRecord[],
): void {
  const after = contentAfter({ state, before, heads });
  const limit = effectiveLimits(access.organization, plans).effective.maxSecretsPerEnvironment;
  if (after.secretCount > state.secretCount && !isUnlimited(limit) && after.secretCount > limit) {
    throw planLimitExceeded('maxSecretsPerEnvironment', limit, state.secretCount);
  }
  if (!access.roleMay('read', state.type)) {
    // What replacing a value frees would tell its length to a writer who may not read it, so nothing is taken off.
    const added = heads.reduce((sum, { sizeBytes }) => sum + (sizeBytes ?? 0), 0);
    if (added > 0 && state.sizeBytes + added > maxEnvironmentBytes) throw environmentFull({});
  } else if (after.sizeBytes > state.sizeBytes && after.sizeBytes > maxEnvironmentBytes) {
    throw environmentFull({ sizeBytes: after.sizeBytes });
  }
}

function environmentFull(details: { sizeBytes?: number }): ApiError {
  return new ApiError('payload_too_large', `An environment holds at most ${maxEnvironmentBytes} bytes; this is more.`, {
    details: { ...details, maximumBytes: maxEnvironmentBytes },
  });
}
