import type { MemberContext } from '../access/request-context.ts';
import { newAuditEntry } from '../audit/write.ts';
import { matchesRevision, type Precondition } from '../contracts/fields/preconditions.ts';
import type { DryRun } from '../contracts/secrets/write.ts';
import { ApiError } from '../core/errors.ts';
import { publishSecretEvent, type SecretEvent } from '../deliveries/publish.ts';
import { backOff, reauthorize, retryBudget, retryWhile } from '../table/retry.ts';
import { ConditionFailed } from '../table/write.ts';
import type { Change, ChangeRequest, ChangeResult } from './change/change-request.ts';
import { type Decided, decideChange, inKeyOrder } from './change/decide-change.ts';
import { type ChangeReads, readTarget, requireTarget, type Target, type TargetReads } from './change/read-target.ts';
import { eventsOf } from './change/tell-change.ts';
import { recordComparison, sealHeads, writeDecision } from './change/write-decision.ts';
import { outgrowsPages } from './engine/head-pages.ts';
import { staleReadLimit } from './engine/stale-read.ts';
import { areWaiting, newTicket } from './engine/tickets.ts';
import { moveDeadHeads } from './engine/tombstones.ts';
import { waitForPendingChange } from './engine/undo-change.ts';
import { DecisionOutdated, fitsOneTransaction, leavesDeadHeads, VersionTaken } from './engine/write-change.ts';

/*
 * Every change of secrets goes through here. Setting, deleting, importing, promoting and restoring only decide what to put
 * and what to delete. What they have in common is here and in `change`: preconditions, limits, dry runs, one revision, the
 * audit entry in the same transaction, the events after it, and retries when another change came first.
 */

/**
 * Makes a change as one revision, all or nothing, or no revision if there is nothing to change. A dry run does
 * everything except the write, and returns the plan.
 *
 * Each attempt reads, decides and writes. A rejected writer takes a ticket once and tries again when it is served;
 * after that it backs off. Events are published after the commit.
 * @throws project_not_found, environment_not_found, forbidden, revision_mismatch, plan_limit_exceeded,
 * payload_too_large, temporarily_unavailable if other writers keep committing first, DecisionOutdated if the source
 * environment has changed, and what `decide` throws
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
  const isStale = staleReadLimit(log, path);
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
        if (isRefused && !ticket.hasWaited && !request.dryRun) await ticket.take(reads, 'named' in reads.heads);
        else await backOff(budget, error, isRefused ? ticket.pauseMs : undefined);
        const keys = error instanceof VersionTaken ? 'all' : reads.keys;
        reads = await ticket.readWhenServed(authorizedRead(() => readTarget(path, keys)));
      }
    }
  } finally {
    await ticket.end();
  }
}

/**
 * Re-authorizes the caller in parallel with each read of a writer in line, so its right is as new as what it decides on,
 * however long it waits. Only the first read counts towards the organization's share: the writer still waits once.
 */
function authorizedRead(read: () => Promise<TargetReads>): () => Promise<TargetReads> {
  let isSameWait = false;
  return async () => {
    const authorized = reauthorize({ isSameWait });
    isSameWait = true;
    const [reads] = await Promise.all([read(), authorized]);
    return reads;
  };
}

interface Made<Answer> {
  answer: Answer;
  events: readonly SecretEvent[];
  leftDeadHeads: boolean;
}

/** @throws ConditionFailed, StaleRead if it must be retried */
async function tryChange<Answer>(change: Change<Answer>, reads: TargetReads): Promise<Made<Answer | DryRun>> {
  const { path, ifMatch, dryRun } = change;
  const readAll = async () => tryChange(change, await readTarget(path, 'all'));
  const target = requireTarget(change, reads);
  const { state } = target;
  // A dry run doesn't wait for other writers or undo anything. It reads a snapshot, which hides a change in progress.
  // A revision that has passed doesn't come back, so this answer needs no place in the queue.
  requireRevision(ifMatch, state);
  if (!dryRun) await requireNobodyFirst(change, reads, target);
  else if (state.pending !== undefined && 'named' in reads.heads) return readAll();

  const decided = await decideChange(change, reads, target);
  const { decision, plan } = decided;
  const { revision } = state;
  const changesNothing = decided.heads.length === 0;
  if (dryRun || changesNothing) await recordComparison(change, target, decided);
  if (dryRun) return nothingToTell({ dryRun, plan: inKeyOrder(plan), revision });
  if (changesNothing) return nothingToTell(decision.answer(resultOf(decided, revision)));

  const heads = await sealHeads(target, decided);
  // A large change overwrites versions unconditionally, so the decision needs all heads. So does measuring an
  // environment anew.
  const needsAll = !fitsOneTransaction(heads) || outgrowsPages({ ...decided, state });
  if ('named' in reads.heads && needsAll) return readAll();
  const sealed = { ...decided, heads };
  const answer = decision.answer(resultOf(sealed, revision + 1));
  await writeDecision(change, reads, target, sealed);
  const leftDeadHeads = state.deadHeadsUpTo !== undefined || leavesDeadHeads(heads);
  return { answer, events: eventsOf(change, target, sealed), leftDeadHeads };
}

/** @throws ConditionFailed after waiting for a change in progress, or if other writers are waiting in line */
async function requireNobodyFirst(
  { path, ticket, context: { log } }: Change<unknown>,
  reads: TargetReads,
  { state, ring }: Target,
): Promise<void> {
  if (state.pending !== undefined) {
    // A writer that has already waited for a crashed writer doesn't also wait for its ticket.
    if (await waitForPendingChange(path, state, ring, log)) ticket.hasWaited = true;
    throw new ConditionFailed([]);
  }
  if (!ticket.hasWaited && areWaiting(reads)) throw new ConditionFailed([]);
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

/** Makes a change that copies values. Retries with fresh reads if those values change in the meantime. */
export async function changeByCopy<Reads, Answer>(
  begun: Reads,
  readAgain: () => Promise<Reads>,
  change: (reads: Reads) => Promise<Answer>,
): Promise<Answer> {
  const isOutdated = (error: unknown) => error instanceof DecisionOutdated;
  return retryWhile(isOutdated, async tries => change(tries === 0 ? begun : await readAgain()));
}
