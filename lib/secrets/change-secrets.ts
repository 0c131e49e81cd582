import type { MemberContext } from '../access/request-context.ts';
import { newAuditEntry } from '../audit/write.ts';
import { matchesRevision } from '../contracts/fields/preconditions.ts';
import type { DryRun } from '../contracts/secrets/changes.ts';
import { ApiError } from '../core/errors.ts';
import { backOff, reauthorize, retryBudget, retryWhile } from '../table/retry.ts';
import { ConditionFailed } from '../table/write.ts';
import { requireApproval } from './change/bypass.ts';
import type { Change, ChangeRequest, Target } from './change/change-request.ts';
import { decideChange } from './change/decide-change.ts';
import { publishChange } from './change/publish-change.ts';
import { AllHeadsNeeded, type ChangeReads, readTarget, type TargetReads } from './change/read-target.ts';
import { writeDecision } from './change/write-decision.ts';
import { keyRing } from './engine/key-ring.ts';
import { StaleRead, staleReadLimit } from './engine/stale-read.ts';
import { areWaiting, newTicket } from './engine/tickets.ts';
import { waitForPendingChange } from './engine/undo-change.ts';
import { DecisionOutdated, VersionTaken } from './engine/write-change.ts';

/*
 * Every change of secrets goes through here. Setting, deleting, importing, promoting and restoring only decide what to
 * put and what to delete. Everything else is here and in `change`.
 */

/**
 * Makes a change as one revision, all or nothing, or no revision if there is nothing to change. A dry run does
 * everything except the write, and returns the plan. A rejected writer takes a ticket once and tries again when it is
 * served; after that it backs off.
 * @throws project_not_found, environment_not_found, forbidden, approval_required, revision_mismatch,
 * plan_limit_exceeded, payload_too_large, temporarily_unavailable if other writers keep committing first, DecisionOutdated if the source
 * environment has changed, and what `decide` throws
 */
export async function changeSecrets<Answer>(
  context: MemberContext,
  { path, reads: firstReads, webhooks }: ChangeReads,
  request: ChangeRequest<Answer>,
): Promise<Answer | DryRun> {
  const { log } = context;
  const budget = retryBudget();
  const ticket = newTicket(path, budget, log);
  const entry = newAuditEntry();
  const isStale = staleReadLimit(log, path);
  const change: Change<Answer> = { ...request, context, path, webhooks, entry, ticket, budget, isStale };
  let reads = firstReads;
  try {
    for (;;) {
      try {
        const target = await requireTurn(change, reads);
        const decided = await decideChange(change, reads, target);
        const written = await writeDecision(change, reads, target, decided);
        await publishChange(change, target, decided, written);
        await change.propose?.(target, decided);
        return decided.answer;
      } catch (error) {
        reads = await readAgain(change, reads, error);
      }
    }
  } finally {
    await ticket.end();
  }
}

/**
 * The environment to change, if the caller may change it and no other writer goes first.
 * @throws project_not_found, environment_not_found, forbidden, revision_mismatch; StaleRead if the project was read
 * before a key rotation; ConditionFailed after waiting for a change in progress, or if other writers are in line
 */
async function requireTurn(change: Change<unknown>, reads: TargetReads): Promise<Target> {
  const { path, dryRun, ticket, context } = change;
  const target = requireTarget(change, reads);
  const { state, ring } = target;
  // A dry run doesn't wait for other writers or undo anything. It reads a snapshot, which hides a change in progress.
  if (dryRun) {
    if (state.pending !== undefined && 'named' in reads.heads) throw new AllHeadsNeeded();
    return target;
  }
  if (state.pending !== undefined) {
    // A writer that has already waited for a crashed writer doesn't also wait for its ticket.
    if (await waitForPendingChange(path, state, ring, context.log)) ticket.hasWaited = true;
    throw new ConditionFailed([]);
  }
  if (!ticket.hasWaited && areWaiting(reads)) throw new ConditionFailed([]);
  return target;
}

function requireTarget(change: Change<unknown>, reads: TargetReads): Target {
  const { context, authorize, ifMatch } = change;
  const { access, organization } = context;
  const project = access.requireProject(reads.project);
  const state = access.requireEnvironment(reads.state, 'write');
  authorize?.(access);
  requireApproval(change, state);
  if (state.keyVersion > project.keyVersion) {
    throw new StaleRead(`Environment ${state.id} only accepts values under data key ${state.keyVersion} or newer.`);
  }
  const { revision } = state;
  // A revision that has passed doesn't come back, so this error needs no place in the queue.
  if (ifMatch !== undefined && !matchesRevision(ifMatch, revision)) {
    const details = { currentRevision: revision };
    throw new ApiError('revision_mismatch', `The environment is at revision ${revision}.`, { details });
  }
  return { project, state, ring: keyRing(organization.id, project) };
}

/**
 * What the next attempt decides on, after the wait that the error calls for.
 * @throws the error, if another attempt would not help
 */
async function readAgain(change: Change<unknown>, reads: TargetReads, error: unknown): Promise<TargetReads> {
  const { path, dryRun, ticket, budget, isStale } = change;
  if (error instanceof AllHeadsNeeded) return readTarget(path, 'all');
  const isRejected = error instanceof ConditionFailed;
  if (!isRejected && !isStale(error)) throw error;
  if (isRejected && !ticket.hasWaited && !dryRun) await ticket.take(reads, 'named' in reads.heads);
  else await backOff(budget, error, isRejected ? ticket.pauseMs : undefined);
  const keys = error instanceof VersionTaken ? 'all' : reads.keys;
  // The caller's right must be as new as what the writer decides on, however long it waits in line. Only the first read
  // counts towards the organization's share of requests.
  let isSameWait = false;
  return ticket.readWhenServed(async () => {
    const authorized = reauthorize({ isSameWait });
    isSameWait = true;
    const [current] = await Promise.all([readTarget(path, keys), authorized]);
    return current;
  });
}

/** Makes a change that copies values. Retries with fresh reads if those values change in the meantime. */
export async function changeByCopy<Reads, Answer>(
  begun: Reads,
  readSourceAgain: () => Promise<Reads>,
  change: (reads: Reads) => Promise<Answer>,
): Promise<Answer> {
  const isOutdated = (error: unknown) => error instanceof DecisionOutdated;
  return retryWhile(isOutdated, async tries => change(tries === 0 ? begun : await readSourceAgain()));
}
