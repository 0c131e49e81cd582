import { ApiError } from '../core/errors.ts';
import { epochSeconds } from '../core/time.ts';
import { atMost, type Condition, greaterThan, isNew, lessThan } from '../table/expressions.ts';
import type { Read } from '../table/read.ts';
import type { RateRecord } from '../table/records/limits.ts';
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
 * A rate limit is stored as a count and the end of its window, which starts with the first count. The limit is a
 * condition of every write below, so concurrent requests can't exceed it.
 *
 * If only failures count, the transaction that ends an attempt decides: it counts a failure, and requires of a success
 * that the limit has not been reached. At the limit, both get `rate_limited`, so concurrent attempts reveal no more
 * than sequential ones.
 */

export interface Counter {
  readonly bound: number;
  readonly windowSeconds: number;
  readonly item: Read<RateRecord>;
  /** Whether the stored window had ended when it was last read. DynamoDB deletes expired items late. */
  isEnded?: boolean;
}

type Stored = Partial<RateRecord> | undefined;

/**
 * Increments every counter, or none. One round trip, or two if an ended window is still stored.
 * @throws rate_limited
 */
export function count(...counters: readonly Counter[]): Promise<void> {
  return retryOnConditionFailed(() => transact(counters.flatMap(countOne)));
}

/**
 * The write that increments the counter, for the transaction of the thing being counted.
 * @throws `rate_limited`, as does the transaction; the transaction throws `ConditionFailed` if a window has ended or
 * started in the meantime: call this again for a new write
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

/** Requires the count to be below the limit. Otherwise the transaction throws `rate_limited`. */
export function requireBelowLimit(counter: Counter): Write[] {
  return counter.bound < 0 ? [] : [check(counter.item, belowLimit(counter))];
}

/** The same, and resets the count, because the subject has proved its identity. */
export function resetCount(counter: Counter): Write[] {
  return counter.bound < 0 ? [] : [remove(counter.item, belowLimit(counter))];
}

function belowLimit(counter: Counter) {
  const free = [isNew, { expiresAt: atMost(epochSeconds()) }, { tries: lessThan(counter.bound) }] as const;
  return { if: free, refused: (stored: Stored) => rateLimited(counter, stored) };
}

/** The read for the two functions below; undefined for an unlimited counter. */
export const countRead = ({ bound, item }: Counter): Read<RateRecord> | undefined => (bound < 0 ? undefined : item);

/** Rejects an attempt early, by the counter as read; the writes above decide. @throws rate_limited */
export function refuseEarly(counter: Counter, stored: Stored): void {
  counter.isEnded = stored !== undefined && hasEnded(stored);
  if (isReached(counter, stored)) throw rateLimited(counter, stored);
}

export function isReached({ bound }: Counter, stored: Stored): boolean {
  if (bound <= 0) return bound === 0;
  return !hasEnded(stored) && (stored?.tries ?? 0) >= bound;
}

const hasEnded = (stored: Stored): boolean => (stored?.expiresAt ?? 0) <= epochSeconds();

function rateLimited({ bound, windowSeconds }: Counter, stored: Stored): ApiError {
  const remainingSeconds = (stored?.expiresAt ?? 0) - epochSeconds();
  const retryAfterSeconds = remainingSeconds > 0 ? remainingSeconds : windowSeconds;
  const message = `Too many attempts (at most ${bound}). Wait ${retryAfterSeconds} seconds.`;
  return new ApiError('rate_limited', message, { retryAfterSeconds });
}
