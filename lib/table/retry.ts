import { AsyncLocalStorage } from 'node:async_hooks';
import { temporarilyUnavailable } from '../core/errors.ts';

/** How long to go on trying, and how often it was tried. */
export interface RetryBudget {
  readonly endsAt: number;
  attempts: number;
}

/** API Gateway answers 503 by itself after 30 s; the service's own answer must come first. */
export const retryTimeMs = 22_000;

const deadlines = new AsyncLocalStorage<number>();

/** Runs `work` under one deadline: all of its retries stop after `timeMs`. */
export function withDeadline<T>(work: () => T, timeMs = retryTimeMs): T {
  return deadlines.run(Date.now() + timeMs, work);
}

/** A budget of its own for the back-off of one loop. It ends with the deadline that the loop runs under. */
export function retryBudget(timeMs = retryTimeMs): RetryBudget {
  return { endsAt: deadlines.getStore() ?? Date.now() + timeMs, attempts: 0 };
}

interface Reauthorization {
  /** Throws if the caller has lost the right to go on. */
  check: () => Promise<void>;
  /** Of a transaction: whether an attempt of it may have been executed although no answer came. */
  isAnswerLost?: boolean;
}

const authorizations = new AsyncLocalStorage<Reauthorization | undefined>();

/** Runs `work`. After each wait of a retry, `check` throws if the caller has lost the right to go on. */
export function withReauthorization<T>(check: () => Promise<void>, work: () => T): T {
  return authorizations.run({ check }, work);
}

/**
 * Runs all attempts of one transaction. Once the answer to one of them was lost, the caller is not authorized again: the
 * transaction may have been executed, may even have ended the caller's own rights, and only the next answer tells.
 */
export function asOneTransaction<T>(attempts: () => T): T {
  const around = authorizations.getStore();
  return authorizations.run(around === undefined ? undefined : { ...around, isAnswerLost: false }, attempts);
}

/** Notes that an attempt ended without an answer, where it is one of a transaction. */
export function noteLostAnswer(): void {
  const reauthorization = authorizations.getStore();
  if (reauthorization?.isAnswerLost !== undefined) reauthorization.isAnswerLost = true;
}

/** Runs work that has to end whatever its caller may do by now, such as an undo. */
export function withoutReauthorization<T>(work: () => T): T {
  return authorizations.run(undefined, work);
}

const firstPauseMs = 10;
const longestPauseMs = 400;

/** Waits before the next try, as `backOff` does, and re-authorizes the caller. */
export async function pauseBeforeRetry(budget: RetryBudget, cause?: unknown): Promise<void> {
  await backOff(budget, cause);
  await reauthorize();
}

/**
 * Waits before the next try: exponential back-off with full jitter. It does not re-authorize.
 * @param pauseMs how long to wait, where the caller knows better
 * @throws `temporarily_unavailable` when the budget's time is used up.
 */
export async function backOff(budget: RetryBudget, cause?: unknown, pauseMs?: number): Promise<void> {
  budget.attempts += 1;
  const ceiling = Math.min(longestPauseMs, firstPauseMs * 2 ** Math.min(budget.attempts, 10));
  await wait(budget, pauseMs ?? Math.random() * ceiling, cause);
}

/** Waits without re-authorizing. @throws `temporarily_unavailable` when the budget's time is used up. */
export async function wait(budget: RetryBudget, pauseMs: number, cause?: unknown): Promise<void> {
  if (Date.now() + pauseMs >= budget.endsAt) {
    throw temporarilyUnavailable('Too many requests at once. Send the request again.', cause);
  }
  await new Promise(resolve => setTimeout(resolve, pauseMs));
}

/** Authorizes the caller again. @throws if the caller has lost the right to go on */
export async function reauthorize(): Promise<void> {
  const reauthorization = authorizations.getStore();
  if (reauthorization === undefined || reauthorization.isAnswerLost === true) return;
  // The check may have to wait, too, and needs no check for that.
  await withoutReauthorization(reauthorization.check);
}

/** DynamoDB refused the request before executing it. */
const throttles = new Set([
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
  'ThrottlingException',
  'ThrottlingError',
]);

export function isThrottle(error: unknown): boolean {
  return error instanceof Error && throttles.has(error.name);
}

/**
 * DynamoDB can't say whether the request was executed, or a transaction was under way on the item. (A transaction itself
 * is cancelled then, with another error.)
 */
const serverErrors = new Set([
  'InternalServerError',
  'ServiceUnavailable',
  'TransactionInProgressException',
  'TransactionConflictException',
]);

/**
 * Sends a request again while DynamoDB throttles it, after the SDK's own few attempts, until the deadline. A request that
 * may be executed twice without a difference (a read, a transaction with its token) is also sent again after a server error.
 * @throws `temporarily_unavailable` after the deadline
 */
export async function sendPatiently<T>(
  send: () => Promise<T>,
  { repeatable, budget = retryBudget() }: { repeatable: boolean; budget?: RetryBudget },
): Promise<T> {
  for (;;) {
    try {
      return await send();
    } catch (error) {
      const name = error instanceof Error ? error.name : '';
      if (!(isThrottle(error) || (repeatable && serverErrors.has(name)))) throw error;
      await pauseBeforeRetry(budget, error);
    }
  }
}
