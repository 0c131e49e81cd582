import { ApiError } from '../core/errors.ts';
import { atMost, type Condition, greaterThan, isNew, lessThan } from '../table/expressions.ts';
import type { Read } from '../table/read.ts';
import type { RateRecord } from '../table/records/rate.ts';
import {
  ConditionFailed,
  check,
  put,
  remove,
  retryOnConditionFailed,
  transact,
  upsert,
  type Write,
} from '../table/write.ts';

/*
 * A rate limit is a number in the table and the time at which its window ends. The window begins with the first count.
 * Every write below has the bound in its condition, so concurrent requests can't exceed it.
 *
 * Where only failures count, an attempt's outcome is not known before the password is checked. So the transaction that ends
 * the attempt decides: a failure is counted, and a success requires that the bound has not been reached. At the bound both
 * get `rate_limited`, so concurrent attempts reveal no more than the same number of attempts in sequence.
 */

/** What a limit is counted for. Made by the functions of `rate-limits.ts`. */
export interface Counter {
  /** -1: no bound. */
  readonly bound: number;
  readonly windowSeconds: number;
  readonly item: Read<RateRecord>;
  /** Whether a window that has ended is still stored, as far as is known. DynamoDB removes expired items late. */
  isEnded?: boolean;
}

type Stored = Partial<RateRecord> | undefined;

/**
 * Counts one more for each, or for none. One round trip, or two after a window that is still stored.
 * @throws rate_limited with the seconds until the window ends
 */
export function count(...counters: readonly Counter[]): Promise<void> {
  return retryOnConditionFailed(budget => transact(counters.flatMap(countOne), budget));
}

/**
 * The write that counts one more, for the transaction of what is counted.
 * @throws `rate_limited`, also the transaction; the transaction `ConditionFailed` if a window has ended or begun meanwhile:
 * then the same counter gives another write
 */
export function countOne(counter: Counter): Write[] {
  if (counter.bound < 0) return [];
  if (counter.bound === 0) throw rateLimited(counter, undefined);
  const now = epochSeconds();
  const expiresAt = now + counter.windowSeconds;
  const refused = (stored: Stored) => {
    counter.isEnded = hasEnded(stored);
    return isReached(counter, stored) ? rateLimited(counter, stored) : new ConditionFailed([]);
  };
  if (counter.isEnded === true) {
    return [put(counter.item, { tries: 1, expiresAt }, { if: [isNew, { expiresAt: atMost(now) }], refused })];
  }
  const hasRoom: Condition<RateRecord> = { tries: lessThan(counter.bound), expiresAt: greaterThan(now) };
  return [upsert(counter.item, { add: { tries: 1 }, setIfAbsent: { expiresAt } }, { if: [isNew, hasRoom], refused })];
}

/** The write that requires room below the bound. Its transaction throws `rate_limited` otherwise. */
export function requireRoom(counter: Counter): Write[] {
  return counter.bound < 0 ? [] : [check(counter.item, whileThereIsRoom(counter))];
}

/** The same, and resets the count, because the subject has proved its identity. */
export function startAgain(counter: Counter): Write[] {
  return counter.bound < 0 ? [] : [remove(counter.item, whileThereIsRoom(counter))];
}

function whileThereIsRoom(counter: Counter) {
  const room: Condition<RateRecord>[] = [
    isNew,
    { expiresAt: atMost(epochSeconds()) },
    { tries: lessThan(counter.bound) },
  ];
  return { if: room, refused: (stored: Stored) => rateLimited(counter, stored) };
}

/** What to read of a counter for the two functions below: nothing if there is no bound. */
export function toRead({ bound, item }: Counter): Read<RateRecord> | undefined {
  return bound < 0 ? undefined : item;
}

/**
 * Refuses an attempt before any work is done, by the counter as read. The writes above make the final decision.
 * @throws rate_limited
 */
export function refuseEarly(counter: Counter, stored: Stored): void {
  counter.isEnded = stored !== undefined && hasEnded(stored);
  if (isReached(counter, stored)) throw rateLimited(counter, stored);
}

/** Whether the bound has been reached, by what was read of the counter. */
export function isReached({ bound }: Counter, stored: Stored): boolean {
  if (bound <= 0) return bound === 0;
  return !hasEnded(stored) && (stored?.tries ?? 0) >= bound;
}

function hasEnded(stored: Stored): boolean {
  return (stored?.expiresAt ?? 0) <= epochSeconds();
}

function rateLimited({ bound, windowSeconds }: Counter, stored: Stored): ApiError {
  const left = (stored?.expiresAt ?? 0) - epochSeconds();
  const retryAfterSeconds = left > 0 ? left : windowSeconds;
  return new ApiError('rate_limited', `Too many tries (at most ${bound}). Wait ${retryAfterSeconds} seconds.`, {
    retryAfterSeconds,
  });
}

function epochSeconds(): number {
  return Math.floor(Date.now() / 1000);
}
