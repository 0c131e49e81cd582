import type { Log } from '../../core/logger.ts';
import { absent, atLeast, lessThan } from '../../table/expressions.ts';
import { at, find } from '../../table/read.ts';
import { type TicketsRecord, ticketsRecord } from '../../table/records/environment.ts';
import { type RetryBudget, wait } from '../../table/retry.ts';
import { increment, transactIfHolds, update } from '../../table/write.ts';
import { type EnvironmentPath, partsOf } from './environment-path.ts';

/*
 * Only one of many writers of an environment can commit at a time, and the tries of the others are wasted. So a writer
 * that was refused takes a ticket and waits until it is served. Tickets are advice: the fencing token alone decides what
 * is written, and a writer that waits too long goes ahead. So an abandoned ticket delays others by at most a second.
 */

/** After this long without any progress a writer goes ahead. */
const standstillMs = 1000;
/** How long a writer is served, until a waiting one has seen how fast others are. */
const usualServiceMs = 20;
/** The next in line asks this often. */
const shortestPauseMs = 5;
const longestPauseMs = 400;
/** Of the time until a writer is the next in line, because a late one holds up everybody behind it. */
const sleptShare = 0.7;
const keptSeconds = 24 * 60 * 60;

/** A writer that was served meets few others. */
const pauseWhenServedMs = 3;

/** One writer's place in the line. */
export interface Ticket {
  /** Whether the writer has waited in line, or need not: it lets nobody else go first any more. */
  hasWaited(): boolean;
  /** How long to pause before another try, where the line tells. */
  pauseMs(): number | undefined;
  /**
   * Returns when the writer is served, or may go ahead. It does not re-authorize the caller.
   * @throws temporarily_unavailable when the budget's time is used up
   */
  take(): Promise<void>;
  /** Lets the writer go ahead without waiting in line. */
  skip(): void;
  /** Lets the next writer be served, if this one was. */
  end(): Promise<void>;
}

export function newTicket(path: EnvironmentPath, budget: RetryBudget, log: Log): Ticket {
  let served: number | undefined;
  let hasWaited = false;
  let pauseMs: number | undefined;
  return {
    hasWaited: () => hasWaited,
    pauseMs: () => pauseMs,
    skip: () => {
      hasWaited = true;
    },
    take: async () => {
      hasWaited = true;
      const number = await takeNumber(path, log);
      if (number === undefined) return;
      await waitInLine(path, number, budget);
      served = number;
      pauseMs = pauseWhenServedMs;
    },
    end: async () => {
      const number = served;
      served = undefined;
      if (number !== undefined) await endService(path, number, log);
    },
  };
}

/** Whether others wait, so that a try would only be in their way. */
export function areWaiting(tickets: TicketsRecord | undefined): boolean {
  return tickets !== undefined && tickets.served < tickets.issued;
}

export function ticketsAt(path: EnvironmentPath) {
  return at(ticketsRecord, ...partsOf(path));
}

async function takeNumber(path: EnvironmentPath, log: Log): Promise<number | undefined> {
  const expiresAt = Math.floor(Date.now() / 1000) + keptSeconds;
  try {
    return (await increment(ticketsAt(path), { add: { issued: 1 }, setIfAbsent: { expiresAt } })).issued;
  } catch (error) {
    log.warn('could not take a ticket', { ...path, reason: String(error) });
    return undefined;
  }
}

async function waitInLine(path: EnvironmentPath, own: number, budget: RetryBudget): Promise<void> {
  let first: { served: number; at: number } | undefined;
  let latest: { served: number; at: number } | undefined;
  for (;;) {
    const served = (await find(ticketsAt(path)))?.served ?? 0;
    const before = own - 1 - served;
    if (before <= 0) return;
    const at = performance.now();
    first ??= { served, at };
    if (latest?.served !== served) latest = { served, at };
    if (at - latest.at >= standstillMs) return;
    const serviceMs = served > first.served ? (at - first.at) / (served - first.served) : usualServiceMs;
    await wait(budget, Math.max(shortestPauseMs, Math.min(longestPauseMs, sleptShare * (before - 1) * serviceMs)));
  }
}

async function endService(path: EnvironmentPath, own: number, log: Log): Promise<void> {
  const issued = atLeast(own);
  try {
    await transactIfHolds([
      update(
        ticketsAt(path),
        { set: { served: own } },
        // The record may be of an environment made later under the slugs, where the number was not issued yet.
        {
          if: [
            { served: lessThan(own), issued },
            { served: absent, issued },
          ],
        },
      ),
    ]);
  } catch (error) {
    log.warn('could not end a ticket', { ...path, reason: String(error) });
  }
}
