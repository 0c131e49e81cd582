import { newAuditEntry } from '../access/audit-write.ts';
import type { MemberContext } from '../access/request-context.ts';
import { matchesRevision, type Precondition } from '../contracts/fields/preconditions.ts';
import type { DryRun } from '../contracts/secrets/dry-run.ts';
import { ApiError } from '../core/errors.ts';
import { publishSecretEvent, type SecretEvent } from '../deliveries/publish.ts';
import { backOff, pauseBeforeRetry, reauthorize, retryBudget } from '../table/retry.ts';
import { ConditionFailed } from '../table/write.ts';
import type { Change, ChangeRequest, ChangeResult } from './change/change-request.ts';
import { type Decided, decideChange, inKeyOrder } from './change/decide-change.ts';
import { type ChangeReads, readTarget, requireTarget, type Target, type TargetReads } from './change/read-target.ts';
import { eventsOf } from './change/tell-change.ts';
import { recordComparison, sealHeads, writeDecision } from './change/write-decision.ts';
import { staleReadLimit } from './engine/stale-read.ts';
import { areWaiting, newTicket } from './engine/tickets.ts';
import { moveDeadHeads } from './engine/tombstones.ts';
import { waitForPendingChange } from './engine/undo-change.ts';
import { DecisionOutdated, fitsOneTransaction, leavesDeadHeads, VersionTaken } from './engine/write-change.ts';

/*
 * The one way in which secrets change: set, delete, import, bulk delete, changes, promotion and restoration each only
 * decide what to put and what to delete. Everything that all of them promise is here and in `change`: preconditions,
 * limits, dry runs, one revision, the audit entry in the same transaction, the events after it, and trying again when
 * another change was first.
 */

/**
 * Makes a change: all or nothing, one revision, or nothing at all where the decision is empty. A dry run takes every step
 * up to the write, and answers the plan.
 *
 * Each try reads, decides and writes. A writer that was refused takes a ticket, once, and tries again when it is served;
 * after that it backs off. What was committed is told.
 * @throws project_not_found, environment_not_found, forbidden, revision_mismatch, plan_limit_exceeded, payload_too_large,
 * temporarily_unavailable if other writers were always first, DecisionOutdated if the environment that the values come
 * from has changed, and what `decide` throws
 */
export async function changeSecrets<Answer>(
  context: MemberContext,
  { path, reads: first, webhooks }: ChangeReads,
  request: ChangeRequest<Answer>,
): Promise<Answer | DryRun> {
  const { log } = context;
  const budget = retryBudget();
  const ticket = newTicket(path, budget, log);
  const change: Change<Answer> = { ...request, context, path, ticket, entry: newAuditEntry() };
  const isStale = staleReadLimit(log, { ...path });
  let reads = first;
  try {
    for (;;) {
      try {
        const { answer, events, leftDeadHeads } = await tryChange(change, reads);
        await Promise.all([
          ticket.end(),
          ...events.map(event => publishSecretEvent(event, webhooks, log)),
          leftDeadHeads ? moveDeadHeads(path, log) : undefined,
        ]);
        return answer;
      } catch (error) {
        const isRefused = error instanceof ConditionFailed;
        if (!isRefused && !isStale(error)) throw error;
        if (isRefused && !ticket.hasWaited() && !request.dryRun) await ticket.take();
        else await backOff(budget, error, isRefused ? ticket.pauseMs() : undefined);
        // Re-authorization takes no round trip of its own. Nothing is done with what was read before it.
        const keys = error instanceof VersionTaken ? 'all' : reads.keys;
        [reads] = await Promise.all([readTarget(path, keys), reauthorize()]);
      }
    }
  } finally {
    await ticket.end();
  }
}

interface Made<Answer> {
  answer: Answer;
  events: readonly SecretEvent[];
  leftDeadHeads: boolean;
}

/** @throws ConditionFailed, StaleRead if it has to be tried again */
async function tryChange<Answer>(change: Change<Answer>, reads: TargetReads): Promise<Made<Answer | DryRun>> {
  const { path, ifMatch, dryRun } = change;
  const readAll = async () => tryChange(change, await readTarget(path, 'all'));
  const target = requireTarget(change, reads);
  const { state } = target;
  // A dry run waits for no writer and undoes nothing. It takes a snapshot, which shows no change that is under way.
  if (!dryRun) await requireNobodyFirst(change, reads, target);
  else if (state.pending !== undefined && 'named' in reads.heads) return readAll();
  requireRevision(ifMatch, state);

  const decided = await decideChange(change, reads, target);
  const { decision, plan } = decided;
  const { revision } = state;
  const changesNothing = decided.heads.length === 0;
  if (dryRun || changesNothing) await recordComparison(change, target, decided);
  if (dryRun) return nothingToTell({ dryRun, plan: inKeyOrder(plan), revision });
  if (changesNothing) return nothingToTell(decision.answer(resultOf(decided, revision)));

  const heads = await sealHeads(target, decided);
  // A large change writes its versions without a condition on what they overwrite.
  if ('named' in reads.heads && !fitsOneTransaction(heads)) return readAll();
  const sealed = { ...decided, heads };
  const answer = decision.answer(resultOf(sealed, revision + 1));
  await writeDecision(change, reads, target, sealed);
  const leftDeadHeads = state.deadHeadsUpTo !== undefined || leavesDeadHeads(heads);
  return { answer, events: eventsOf(change, target, sealed), leftDeadHeads };
}

/** @throws ConditionFailed after waiting for a change that was under way, or while others wait for each other */
async function requireNobodyFirst(
  { path, ticket, context: { log } }: Change<unknown>,
  { tickets }: TargetReads,
  { state, ring }: Target,
): Promise<void> {
  if (state.pending !== undefined) {
    const isUndone = await waitForPendingChange(path, state, ring, log);
    // It has waited for a dead writer, whose ticket it need not wait for as well.
    if (isUndone) ticket.skip();
    throw new ConditionFailed([]);
  }
  if (!ticket.hasWaited() && areWaiting(tickets)) throw new ConditionFailed([]);
}

/** @throws revision_mismatch */
function requireRevision(ifMatch: Precondition | undefined, { revision }: Target['state']): void {
  if (ifMatch === undefined || matchesRevision(ifMatch, revision)) return;
  throw new ApiError('revision_mismatch', `The environment is at revision ${revision}.`, {
    details: { currentRevision: revision },
  });
}

function nothingToTell<Answer>(answer: Answer): Made<Answer> {
  return { answer, events: [], leftDeadHeads: false };
}

function resultOf({ plan, before, heads }: Decided<unknown>, revision: number): ChangeResult {
  const after = new Map(heads.map(head => [head.key, head]));
  return { changed: heads.length > 0, revision, plan, head: key => after.get(key) ?? before.get(key) };
}

/** Makes a change that copies values, again with fresh reads while what it copies has changed in between. */
export async function changeByCopy<Reads, Answer>(
  begun: Reads,
  readAgain: () => Promise<Reads>,
  change: (reads: Reads) => Promise<Answer>,
): Promise<Answer> {
  const budget = retryBudget();
  for (let reads = begun; ; reads = await readAgain()) {
    try {
      return await change(reads);
    } catch (error) {
      if (!(error instanceof DecisionOutdated)) throw error;
      await pauseBeforeRetry(budget, error);
    }
  }
}
