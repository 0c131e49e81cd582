import { AsyncLocalStorage } from 'node:async_hooks';
import { temporarilyUnavailable } from '../core/errors.ts';

/** How long one request may go on trying, and how often it has. */
export interface RetryBudget {
  readonly endsAt: number;
  attempts: number;
}

/** API Gateway answers 503 by itself after 30 s; the service's own answer must come first. */
export const retryTimeMs = 22_000;

export function retryBudget(timeMs = retryTimeMs): RetryBudget {
  return { endsAt: Date.now() + timeMs, attempts: 0 };
}

const judges = new AsyncLocalStorage<(() => Promise<void>) | undefined>();

/** Runs `work`. After each wait of a retry, `judge` decides whether the work may go on: it throws where it may not. */
export function judgedAfterWaiting<T>(judge: () => Promise<void>, work: () => T): T {
  return judges.run(judge, work);
}

const firstPauseMs = 10;
const longestPauseMs = 400;

/**
 * Waits before the next try: exponential back-off with full jitter.
 * @throws `temporarily_unavailable` when the budget's time is used up.
 */
export async function pauseBeforeRetry(budget: RetryBudget, cause?: unknown): Promise<void> {
  budget.attempts += 1;
  const ceiling = Math.min(longestPauseMs, firstPauseMs * 2 ** Math.min(budget.attempts, 10));
  const pauseMs = Math.random() * ceiling;
  if (Date.now() + pauseMs >= budget.endsAt) {
    throw temporarilyUnavailable('Too many changes at once. Nothing was changed; send the request again.', cause);
  }
  await new Promise(resolve => setTimeout(resolve, pauseMs));
  const judge = judges.getStore();
  // The judge may have to wait, too, and needs no judge for that.
  if (judge !== undefined) await judges.run(undefined, judge);
}
