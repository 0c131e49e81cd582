import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import ipaddr from 'ipaddr.js';
import { normalizeEmail } from '../contracts/fields/text.ts';
import { ApiError } from '../core/errors.ts';
import { absent, atLeast, atMost, greaterThan, isThere, lessThan } from '../table/expressions.ts';
import { rateRecord } from '../table/records/rate.ts';
import type { RetryBudget } from '../table/retry.ts';
import { at, ConditionFailed, put, remove, retryOnConditionFailed, transact, update, upsert } from '../table/store.ts';

/** A bound on tries: at most `tries` in `windowSeconds` for each subject; -1 tries is no bound. */
export interface RateLimit {
  name: string;
  tries: number;
  windowSeconds: number;
  /** Whom the tries are counted for. Only its hash is stored. */
  subject: string;
  /**
   * Only failures count, so a try that finds the bound reached by others that are not evaluated yet waits for them. Such
   * a try ends with `forgetTries`, `returnTry` or `keepTry`.
   */
  onlyFailures?: true;
}

class WindowEnded extends Error {}
class OthersUnderWay extends Error {}

/** How long a try waits for others: a log-in takes some 0.3 s, two at a time, and API Gateway answers after 30 s. */
const waitForOthersMs = 15_000;
const othersStepMs = 200;

/**
 * Counts one try before it is evaluated, so that parallel tries cannot pass the bound together. The window begins with
 * its first try. One write; two where an ended window is still stored.
 * @throws rate_limited with the seconds until the window ends
 */
export async function takeTry(limit: RateLimit): Promise<void> {
  if (limit.tries < 0) return;
  const giveUpAt = Date.now() + waitForOthersMs;
  for (;;) {
    try {
      await retryOnConditionFailed(budget => countTry(limit, Date.now() < giveUpAt, budget));
      return;
    } catch (error) {
      if (!(error instanceof OthersUnderWay)) throw error;
      await sleep(othersStepMs * (0.5 + Math.random()));
    }
  }
}

async function countTry(limit: RateLimit, mayWait: boolean, budget: RetryBudget): Promise<void> {
  const now = Math.floor(Date.now() / 1000);
  const endsAt = now + limit.windowSeconds;
  const item = read(limit);
  if (limit.tries === 0) throw rateLimited(limit, limit.windowSeconds);
  const underWay = limit.onlyFailures ? { underWay: 1 } : {};
  try {
    await transact(
      [
        upsert(
          item,
          { add: { tries: 1, ...underWay }, setIfAbsent: { expiresAt: endsAt } },
          {
            if: [{ pk: absent }, { tries: lessThan(limit.tries), expiresAt: greaterThan(now) }],
            refused: current => {
              const seconds = Number(current?.expiresAt) - now;
              if (seconds <= 0) return new WindowEnded();
              const waits = limit.onlyFailures && mayWait && Number(current?.underWay ?? 0) > 0;
              return waits ? new OthersUnderWay() : rateLimited(limit, seconds);
            },
          },
        ),
      ],
      budget,
    );
  } catch (error) {
    if (!(error instanceof WindowEnded)) throw error;
    // DynamoDB removes expired items late. Somebody else may begin the new window first; then this try joins it.
    await transact(
      [put(item, { tries: 1, ...underWay, expiresAt: endsAt }, { if: { expiresAt: atMost(now) } })],
      budget,
    );
  }
}

/** Takes a counted try back: it turned out to be none of those that the limit is about. */
export async function returnTry(limit: RateLimit): Promise<void> {
  if (limit.tries < 0) return;
  const counters = limit.onlyFailures ? ['tries', 'underWay'] : ['tries'];
  const add = Object.fromEntries(counters.map(counter => [counter, -1]));
  const counted = Object.fromEntries(counters.map(counter => [counter, atLeast(1)]));
  await ignoringGone(transact([update(read(limit), { add }, { if: counted })]));
}

/** The try was evaluated and is one of those that count. */
export async function keepTry(limit: RateLimit): Promise<void> {
  if (limit.tries < 0) return;
  await ignoringGone(transact([update(read(limit), { add: { underWay: -1 } }, { if: { underWay: atLeast(1) } })]));
}

/** Begins anew: the subject has shown that it is who it says. */
export async function forgetTries(limit: RateLimit): Promise<void> {
  if (limit.tries < 0) return;
  await ignoringGone(transact([remove(read(limit), { if: isThere })]));
}

function read({ name, subject }: RateLimit) {
  return at(rateRecord, name, createHash('sha256').update(subject).digest('base64url'));
}

function rateLimited({ tries }: RateLimit, retryAfterSeconds: number): ApiError {
  return new ApiError('rate_limited', `Too many tries (at most ${tries}). Wait ${retryAfterSeconds} seconds.`, {
    retryAfterSeconds,
  });
}

async function ignoringGone(work: Promise<void>): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error;
  }
}

/**
 * The address that tries are counted for. Of IPv6 the first 64 bits: a single subscriber commands at least that many
 * addresses (RFC 6177), so counting single ones would bound nothing.
 */
export function rateSubjectOfAddress(ip: string): string {
  if (!ipaddr.isValid(ip)) return ip;
  const address = ipaddr.process(ip);
  if (address.kind() === 'ipv4') return address.toString();
  return `${address.toByteArray().slice(0, 8).join('.')}/64`;
}

/** E-mails are compared without case here as everywhere. */
export function rateSubjectOfEmail(email: string): string {
  return normalizeEmail(email);
}

/**
 * Takes a try of each limit, or of none.
 * @throws rate_limited
 */
export async function takeTries(limits: readonly RateLimit[]): Promise<void> {
  const taken = await Promise.allSettled(limits.map(takeTry));
  const refused = taken.find(one => one.status === 'rejected');
  if (refused === undefined) return;
  await Promise.all(limits.filter((_, index) => taken[index]?.status === 'fulfilled').map(returnTry));
  throw refused.reason;
}
