import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { waitingForCapacity } from '../core/capacity.ts';
import { temporarilyUnavailable } from '../core/errors.ts';

export interface RetryBudget {
  readonly endsAt: number;
  attempts: number;
}

/** API Gateway returns its own 503 after 30 s; the service must respond before that. */
const retryTimeMs = 22_000;

const deadlines = new AsyncLocalStorage<number>();

export function withDeadline<T>(work: () => T, timeMs = retryTimeMs): T {
  return deadlines.run(Date.now() + timeMs, work);
}

/** The budget of one retry loop. It ends at the surrounding deadline, or after 22 s if there is none. */
export function retryBudget(): RetryBudget {
  return { endsAt: deadlines.getStore() ?? Date.now() + retryTimeMs, attempts: 0 };
}

/** Runs `work` with one deadline for all of its retries: the surrounding one, or a new one. */
export function withOneDeadline<T>(work: () => T): T {
  return deadlines.getStore() === undefined ? withDeadline(work) : work();
}

/** How long after its deadline a request may begin a write that needs no retry. */
const lastWritesMs = 5_000;

/**
 * Lambda freezes a process between requests, possibly with a call in progress, which would be repeated minutes later.
 * But readers of the audit log rely on how late an entry can be written.
 * @throws temporarily_unavailable if the surrounding deadline has long passed
 */
export function requireTimeToWrite(): void {
  const endsAt = deadlines.getStore();
  if (endsAt === undefined || Date.now() <= endsAt + lastWritesMs) return;
  throw temporarilyUnavailable('The request took too long. Send it again.');
}

export interface WaitKind {
  /** Whether the caller was re-authorized in the same wait before, so this counts as the same retry. */
  isSameWait: boolean;
}

interface Reauthorization {
  check?: ((kind: WaitKind) => Promise<void>) | undefined;
  /** Within a transaction: whether an attempt ended without a response, so it may have been executed. */
  isAnswerLost?: boolean;
}

const authorizations = new AsyncLocalStorage<Reauthorization | undefined>();

/** Runs `work`. Before each retry, `check` throws if the caller is no longer authorized. */
export function withReauthorization<T>(check: (kind: WaitKind) => Promise<void>, work: () => T): T {
  return authorizations.run({ check }, work);
}

/**
 * Runs all attempts of one transaction. Once a response is lost, the caller is not re-authorized: the transaction may
 * have been executed and may even have ended the caller's rights.
 */
export function asOneTransaction<T>(attempts: () => T): T {
  return authorizations.run({ ...authorizations.getStore(), isAnswerLost: false }, attempts);
}

/** Records that an attempt of the surrounding transaction or watched put, if any, ended without a response. */
export function noteLostAnswer(): void {
  for (const attempts of [authorizations.getStore(), watches.getStore()]) {
    if (attempts?.isAnswerLost !== undefined) attempts.isAnswerLost = true;
  }
}

/** Whether an earlier attempt of the surrounding transaction or watched put may have been executed. */
export function mayBeExecuted(): boolean {
  return authorizations.getStore()?.isAnswerLost === true || watches.getStore()?.isAnswerLost === true;
}

/** Runs work that must finish even if its caller is no longer authorized or capacity is missing, such as an undo. */
export function withoutReauthorization<T>(work: () => T): T {
  return authorizations.run(undefined, () => waitingForCapacity(work));
}

interface Watch {
  wasThrottled: boolean;
  isAnswerLost: boolean;
}

const watches = new AsyncLocalStorage<Watch>();

/**
 * Runs the put of one item.
 * @returns whether DynamoDB throttled it because its partition has reached its limit, and what rejected it, if anything
 */
export async function watchPut(put: () => Promise<void>): Promise<{ wasThrottled: boolean; rejected?: unknown }> {
  const watch: Watch = { wasThrottled: false, isAnswerLost: false };
  const result = await watches.run(watch, () =>
    put().then(
      () => ({}),
      (rejected: unknown) => ({ rejected }),
    ),
  );
  return { ...result, wasThrottled: watch.wasThrottled };
}

export function noteThrottledPartition(): void {
  const watch = watches.getStore();
  if (watch !== undefined) watch.wasThrottled = true;
}

const firstPauseMs = 10;
const longestPauseMs = 400;

export async function pauseBeforeRetry(budget: RetryBudget, cause?: unknown): Promise<void> {
  await backOff(budget, cause);
  await reauthorize();
}

/**
 * Waits before the next attempt, by default with exponential back-off and full jitter. Does not re-authorize.
 * @throws `temporarily_unavailable` when the budget's time is used up
 */
export async function backOff(budget: RetryBudget, cause?: unknown, pauseMs?: number): Promise<void> {
  budget.attempts += 1;
  const ceiling = Math.min(longestPauseMs, firstPauseMs * 2 ** Math.min(budget.attempts, 10));
  const pause = pauseMs ?? Math.random() * ceiling;
  if (Date.now() + pause >= budget.endsAt) {
    const message = 'There are too many requests at once. Send the request again.';
    throw temporarilyUnavailable(message, cause, { isExpected: !isOutage(cause) });
  }
  await sleep(pause);
}

export async function reauthorize(kind: WaitKind = { isSameWait: false }): Promise<void> {
  const reauthorization = authorizations.getStore();
  const check = reauthorization?.check;
  if (check === undefined || reauthorization?.isAnswerLost === true) return;
  // The check's own retries need no check.
  await authorizations.run(undefined, () => check(kind));
}

/** DynamoDB did not execute the request: it is throttling, or a transaction on the item is in progress. */
const refusals = new Set([
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
  'ThrottlingException',
  'ThrottlingError',
  'TransactionConflictException',
]);

/** DynamoDB doesn't say whether it executed the request, or is still executing the same transaction. */
const serverErrors = new Set(['InternalServerError', 'ServiceUnavailable', 'TransactionInProgressException']);

/** Another transaction on the item is in progress, which ends soon. */
export const isConflict = (error: unknown): boolean =>
  error instanceof Error && error.name === 'TransactionConflictException';

export const isRefusal = (error: unknown): boolean => error instanceof Error && refusals.has(error.name);

/** Whether a request that may be executed twice (a read, a transaction with its token) can be sent again. */
export function isTransient(error: unknown): boolean {
  return isRefusal(error) || (error instanceof Error && serverErrors.has(error.name));
}

/** DynamoDB failed, rather than being busy with other requests. */
function isOutage(error: unknown): boolean {
  return error instanceof Error && ['InternalServerError', 'ServiceUnavailable'].includes(error.name);
}

/**
 * Repeats `attempt` while `passes` accepts its error, with a pause and a re-authorization in between.
 * @throws any other error; `temporarily_unavailable` when the budget's time is used up
 */
export async function retryWhile<T>(
  passes: (error: unknown) => boolean,
  attempt: (tries: number) => Promise<T>,
  budget: RetryBudget = retryBudget(),
): Promise<T> {
  for (let tries = 0; ; tries += 1) {
    try {
      return await attempt(tries);
    } catch (error) {
      if (!passes(error)) throw error;
      await pauseBeforeRetry(budget, error);
    }
  }
}

/** Sends a request that may be executed twice, in addition to the SDK's own few attempts. @throws as `retryWhile` */
export function sendPatiently<T>(send: () => Promise<T>, budget?: RetryBudget): Promise<T> {
  return retryWhile(isTransient, send, budget);
}
