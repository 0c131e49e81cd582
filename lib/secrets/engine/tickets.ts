import { ApiError } from '../../core/errors.ts';
import type { Log } from '../../core/logger.ts';
import { processVariable } from '../../core/process-memory.ts';
import { daySeconds, epochSeconds } from '../../core/time.ts';
import { absent, equals, lessThan } from '../../table/expressions.ts';
import type { EnvironmentPath } from '../../table/keys.ts';
import { at, find } from '../../table/read.ts';
import { type EnvironmentState, type TicketsRecord, ticketsRecord } from '../../table/records/environment.ts';
import type { RetryBudget } from '../../table/retry.ts';
import { increment, transactIfHolds, update } from '../../table/write.ts';
import { stateAt } from './fencing.ts';

/*
 * Only one of many writers of an environment can commit at a time, and the others' attempts are wasted. So a rejected
 * writer takes a ticket and waits until it is served. Tickets are only a hint: the fencing token decides what is
 * written, and a writer that waits too long goes ahead, so an abandoned ticket delays others by a second or two.
 *
 * The counter of tickets is an item of its own, because taking one must not conflict with a commit. The last ticket
 * served is in the state, so a commit ends its writer's ticket, and a writer decides on the read that serves it.
 */

/** A writer goes ahead after this long if the queue makes no progress and no large change shows signs of life. */
const standstillMs = 1000;
/** Those behind it wait a little longer, so that they don't all go ahead at once. */
const standstillMsPerWriter = 20;
const longestStandstillMs = 2000;
const shortestPauseMs = 5;
const longestPauseMs = 1000;
/** The fraction of its estimated wait that a writer sleeps. Waking up late would delay every writer behind it. */
const sleptShare = 0.7;

const pauseWhenServedMs = 3;

/** The time per writer, as this process measured it last. A guess until then. */
const usualServiceMs = processVariable('usual-service-time', () => 20);
const longestUsualServiceMs = 100;

/** Where the queue is: how many tickets were issued, and, in the state, how many served. */
export interface QueueReads {
  state: EnvironmentState | undefined;
  tickets: TicketsRecord | undefined;
}

/** Whether other writers are waiting, in which case an attempt would only get in their way. */
export const areWaiting = ({ state, tickets }: QueueReads): boolean => (tickets?.issued ?? 0) > servedIn(state);

export const ticketsAt = (path: EnvironmentPath) => at(ticketsRecord, path);

export type Ticket = ReturnType<typeof newTicket>;

export function newTicket(path: EnvironmentPath, budget: RetryBudget, log: Log) {
  let line: Line | undefined;
  let isServed = false;
  const ticket = {
    /** Whether the writer has already waited or doesn't have to wait. It then no longer lets other writers go first. */
    hasWaited: false,
    pauseMs: undefined as number | undefined,
    /**
     * Returns when the writer is served or may go ahead, or earlier if it can afford to read the environment repeatedly
     * until then. It does not re-authorize the caller.
     * @param reads what the writer read last
     * @param readsAhead whether it reads a few items rather than the whole environment
     * @throws temporarily_unavailable at the deadline, with the time that the writers before this one will take
     */
    take: async (reads: QueueReads, readsAhead: boolean): Promise<void> => {
      ticket.hasWaited = true;
      const own = await takeNumber(path, servedIn(reads.state), log);
      if (own === undefined) return;
      line = joinLine(own, reads.state);
      await waitInLine(path, line, readsAhead ? 1 : 0, budget);
      isServed = true;
      ticket.pauseMs = pauseWhenServedMs;
    },
    /** Repeats a read of the environment until it shows that the writer is served, for a second or two at most. */
    readWhenServed: async <Reads extends QueueReads>(read: () => Promise<Reads>): Promise<Reads> => {
      for (;;) {
        const reads = await read();
        if (line === undefined || !line.isBehind(reads.state)) return reads;
        await pauseInLine(line, shortestPauseMs, budget);
      }
    },
    /** The number that the commit puts into the state, to end this ticket. */
    servedBy: (state: EnvironmentState) => (line === undefined ? undefined : Math.max(line.own, servedIn(state))),
    committed: () => {
      isServed = false;
    },
    end: async (): Promise<void> => {
      if (!isServed || line === undefined) return;
      isServed = false;
      await endService(path, line, log);
    },
  };
  return ticket;
}

type Line = ReturnType<typeof joinLine>;

function joinLine(own: number, state: EnvironmentState | undefined) {
  const first = { served: servedIn(state), at: performance.now() };
  let latest = { ...first, heartbeat: state?.pending?.heartbeat };
  let serviceMs = usualServiceMs.value;
  const before = () => Math.max(0, own - 1 - latest.served);
  return {
    own,
    environmentId: state?.id,
    before,
    serviceMs: () => serviceMs,
    /** Notes the progress. @returns whether other writers come first; false once the line has stood still for too long */
    isBehind: (now: EnvironmentState | undefined): boolean => {
      const at = performance.now();
      const served = servedIn(now);
      const heartbeat = now?.pending?.heartbeat;
      if (served !== latest.served || heartbeat !== latest.heartbeat) latest = { served, heartbeat, at };
      if (served > first.served) {
        serviceMs = (at - first.at) / (served - first.served);
        usualServiceMs.value = Math.min(serviceMs, longestUsualServiceMs);
      }
      const patienceMs = Math.min(longestStandstillMs, standstillMs + before() * standstillMsPerWriter);
      return before() > 0 && at - latest.at < patienceMs;
    },
  };
}

async function takeNumber(path: EnvironmentPath, served: number, log: Log): Promise<number | undefined> {
  const expiresAt = epochSeconds() + daySeconds;
  const issue = async (count: number) => {
    return (await increment(ticketsAt(path), { add: { issued: count }, setIfAbsent: { expiresAt } })).issued;
  };
  try {
    const number = await issue(1);
    // The counter expires, and then starts again below the number in the state.
    return number > served ? number : await issue(served - number + 1);
  } catch (error) {
    log.warn('could not take a ticket', { ...path, reason: String(error) });
    return undefined;
  }
}

/** Returns when at most `ahead` writers are before this one. */
async function waitInLine(path: EnvironmentPath, line: Line, ahead: number, budget: RetryBudget): Promise<void> {
  while (line.before() > ahead) {
    const restMs = sleptShare * (line.before() - ahead) * line.serviceMs();
    await pauseInLine(line, Math.min(longestPauseMs, Math.max(shortestPauseMs, restMs)), budget);
    if (!line.isBehind(await find(stateAt(path)))) return;
  }
}

async function pauseInLine(line: Line, pauseMs: number, budget: RetryBudget): Promise<void> {
  if (Date.now() + pauseMs >= budget.endsAt) throw queueTooLong(line.before() * line.serviceMs());
  await new Promise(resolve => setTimeout(resolve, pauseMs));
}

function queueTooLong(queueMs: number): ApiError {
  const seconds = Math.max(1, Math.ceil(queueMs / 1000));
  const message = `Too many requests are waiting to change this environment. Send the request again in ${seconds} s.`;
  return new ApiError('temporarily_unavailable', message, { isExpected: true, retryAfterSeconds: seconds });
}

async function endService(path: EnvironmentPath, { own, environmentId = '' }: Line, log: Log): Promise<void> {
  const id = equals(environmentId);
  const isBefore = [lessThan(own), absent].map(served => ({ id, served }));
  try {
    await transactIfHolds([update(stateAt(path), { set: { served: own } }, { if: isBefore })]);
  } catch (error) {
    log.warn('could not end a ticket', { ...path, reason: String(error) });
  }
}

const servedIn = (state: EnvironmentState | undefined): number => state?.served ?? 0;
