import type { Log } from '../../core/logger.ts';
import { absent, atLeast, lessThan } from '../../table/expressions.ts';
import type { EnvironmentPath } from '../../table/keys.ts';
import { at, find } from '../../table/read.ts';
import { type TicketsRecord, ticketsRecord } from '../../table/records/environment.ts';
import { type RetryBudget, wait } from '../../table/retry.ts';
import { increment, transactIfHolds, update } from '../../table/write.ts';

/*
 * Only one of many writers of an environment can commit at a time, and the others' attempts are wasted. So a rejected
 * writer takes a ticket and waits until it is served. Tickets are only a hint: the fencing token decides what is
 * written, and a writer that waits too long goes ahead. So an abandoned ticket delays others by at most a second.
 */

/** A writer goes ahead after this long if the queue makes no progress. */
const standstillMs = 1000;
/** The assumed time per writer, until a waiting one has measured it. */
const usualServiceMs = 20;
/** How often the next writer in line polls. */
const shortestPauseMs = 5;
const longestPauseMs = 400;
/** The fraction of its estimated wait that a writer sleeps. Waking up late would delay every writer behind it. */
const sleptShare = 0.7;
const keptSeconds = 24 * 60 * 60;

/** A writer that has been served competes with few others. */
const pauseWhenServedMs = 3;

/** One writer's place in the queue. */
export interface Ticket {
  /** Whether the writer has already waited or doesn't have to wait. It then no longer lets other writers go first. */
  hasWaited: boolean;
  /** How long to pause before the next attempt, if the queue can tell. */
  pauseMs: number | undefined;
  /**
   * Returns when the writer is served, or may go ahead. It does not re-authorize the caller.
   * @throws temporarily_unavailable when the budget's time is used up
   */
  take(): Promise<void>;
  /** Lets the next writer be served, if this one was. */
  end(): Promise<void>;
}

export function newTicket(path: EnvironmentPath, budget: RetryBudget, log: Log): Ticket {
  let served: number | undefined;
  const ticket: Ticket = {
    hasWaited: false,
    pauseMs: undefined,
    take: async () => {
      ticket.hasWaited = true;
      const number = await takeNumber(path, log);
      if (number === undefined) return;
      await waitInLine(path, number, budget);
      served = number;
      ticket.pauseMs = pauseWhenServedMs;
    },
    end: async () => {
      const number = served;
      served = undefined;
      if (number !== undefined) await endService(path, number, log);
    },
  };
  return ticket;
}

/** Whether other writers are waiting, in which case an attempt would only get in their way. */
export function areWaiting(tickets: TicketsRecord | undefined): boolean {
  return tickets !== undefined && tickets.served < tickets.issued;
}

export function ticketsAt(path: EnvironmentPath) {
  return at(ticketsRecord, path);
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
        // A later environment with these slugs has not issued the number yet.
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
