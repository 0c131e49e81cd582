import type { Log } from '../../core/logger.ts';
import { absent, atLeast, lessThan } from '../../table/expressions.ts';
import { type TurnsRecord, turnsRecord } from '../../table/records/environment.ts';
import { type RetryBudget, wait } from '../../table/retry.ts';
import { at, find, increment, transactIfHolds, update } from '../../table/store.ts';
import { type EnvironmentPath, partsOf } from './environment-path.ts';

/*
 * Of many writers at one environment only one can commit at a time, and the tries of the others are wasted. So a writer
 * that was refused takes a number and waits for its turn. Turns are advice: the fencing token alone decides what is
 * written, and who waits too long goes ahead. So a writer that dies in its turn, or a number that nobody has, costs a moment.
 */

/** After this long without any progress a writer goes ahead. */
const standstillMs = 1000;
/** What a turn takes, until a writer has seen how fast others have theirs. */
const usualTurnMs = 20;
/** The next in line asks this often. */
const shortestPauseMs = 5;
const longestPauseMs = 400;
/** Of the time until a writer is the next in line, because to come late holds up everybody behind it. */
const sleptShare = 0.7;
const keptSeconds = 24 * 60 * 60;

/** A writer that had its turn meets few others. */
export const pauseInTurnMs = 3;

/** Whether others wait, so that a try would only be in their way. */
export function areWaiting(turns: TurnsRecord | undefined): boolean {
  return turns !== undefined && turns.over < turns.next;
}

export function turnsAt(path: EnvironmentPath) {
  return at(turnsRecord, ...partsOf(path));
}

/**
 * Returns the writer's number when it is its turn, undefined where it goes ahead without one. Who called is not judged
 * again yet.
 * @throws temporarily_unavailable when the budget's time is used up
 */
export async function takeTurn(path: EnvironmentPath, budget: RetryBudget, log: Log): Promise<number | undefined> {
  const own = await takeNumber(path, log);
  if (own === undefined) return undefined;
  await waitForTurn(path, own, budget);
  return own;
}

async function takeNumber(path: EnvironmentPath, log: Log): Promise<number | undefined> {
  const expiresAt = Math.floor(Date.now() / 1000) + keptSeconds;
  try {
    return (await increment(turnsAt(path), { add: { next: 1 }, setIfAbsent: { expiresAt } })).next;
  } catch (error) {
    log.warn('could not wait for a turn', { ...path, reason: String(error) });
    return undefined;
  }
}

async function waitForTurn(path: EnvironmentPath, own: number, budget: RetryBudget): Promise<void> {
  let first: { over: number; at: number } | undefined;
  let latest: { over: number; at: number } | undefined;
  for (;;) {
    const over = (await find(turnsAt(path)))?.over ?? 0;
    const before = own - 1 - over;
    if (before <= 0) return;
    const at = performance.now();
    first ??= { over, at };
    if (latest?.over !== over) latest = { over, at };
    if (at - latest.at >= standstillMs) return;
    const turnMs = over > first.over ? (at - first.at) / (over - first.over) : usualTurnMs;
    await wait(budget, Math.max(shortestPauseMs, Math.min(longestPauseMs, sleptShare * (before - 1) * turnMs)));
  }
}

/** Lets the next writer have its turn. */
export async function endTurn(path: EnvironmentPath, own: number, log: Log): Promise<void> {
  const next = atLeast(own);
  try {
    await transactIfHolds([
      update(
        turnsAt(path),
        { set: { over: own } },
        // The record may be of an environment made later under the slugs, where the number was not given yet.
        {
          if: [
            { over: lessThan(own), next },
            { over: absent, next },
          ],
        },
      ),
    ]);
  } catch (error) {
    log.warn('could not end a turn', { ...path, reason: String(error) });
  }
}
