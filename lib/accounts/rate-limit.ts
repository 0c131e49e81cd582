import { createHash, randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import ipaddr from 'ipaddr.js';
import { normalizeEmail } from '../contracts/fields/text.ts';
import { ApiError } from '../core/errors.ts';
import {
  absent,
  atMost,
  type Condition,
  excludes,
  greaterThan,
  includes,
  isNew,
  isThere,
  lessThan,
  sizeBelow,
} from '../table/expressions.ts';
import { type RateRecord, rateRecord } from '../table/records/rate.ts';
import type { RetryBudget } from '../table/retry.ts';
import {
  at,
  ConditionFailed,
  put,
  remove,
  retryOnConditionFailed,
  transact,
  transactIfHolds,
  update,
  upsert,
  type Write,
} from '../table/store.ts';

/** A bound on tries: at most `tries` in `windowSeconds` for each subject; -1 tries is no bound. */
export interface RateLimit {
  name: string;
  tries: number;
  windowSeconds: number;
  /** An address, an e-mail, an account. Only its hash is stored. */
  subject: string;
  /**
   * Only failures count, so a try that finds the bound reached waits for tries under way that may turn out to be none.
   * Such a try ends with `forgetTries`, `returnTry` or `keepTry`.
   */
  onlyFailures?: true;
}

/** A try that was counted. */
export interface Try {
  limit: RateLimit;
  /** Its time in epoch seconds and a random part. Stands in the item until the try ends. */
  mark: string;
}

/*
 * Each write counts exactly once, although the SDK sends it again when its answer is lost: its condition demands that
 * the try's own mark is absent (taking) or present (ending), and the write changes that. A transaction with a token
 * would do the same for twice the write units.
 *
 * The marks also tell which tries are under way. A try whose process died makes others wait until its mark is ten seconds
 * old, and no longer. It stays counted until the window ends, because it may have been a guess.
 */

/** A log-in takes some 0.3 s, two at a time. */
const underWaySeconds = 10;
/** No request lives this long (API Gateway gives up after 30 s), so no write asks for a mark this old. */
const markLifetimeSeconds = 60;
/** Bounds the item at 7 KB. With the default limits it stays below 1 KB, which is one write unit. */
const maximumMarks = 256;

/** A try waits this long for others in total, because new ones may keep coming first. */
const waitForOthersMs = 15_000;
const othersStepMs = 200;

class OthersUnderWay extends Error {}

class NotCounted extends Error {
  readonly current: Partial<RateRecord>;

  constructor(current: Partial<RateRecord> = {}) {
    super('The try was not counted.');
    this.current = current;
  }
}

/**
 * Counts one try before it is evaluated, so that parallel tries cannot pass the bound together. The window begins with
 * its first try. Takes one write, or two if an ended window is still stored.
 * @throws rate_limited with the seconds until the window ends
 */
export async function takeTry(limit: RateLimit): Promise<Try> {
  const taken: Try = { limit, mark: `${epochSeconds()}.${randomBytes(8).toString('base64url')}` };
  if (limit.tries < 0) return taken;
  if (limit.tries === 0) throw rateLimited(limit, limit.windowSeconds);
  const giveUpAt = Date.now() + waitForOthersMs;
  for (;;) {
    try {
      await retryOnConditionFailed(budget => countTry(taken, Date.now() < giveUpAt, budget));
      return taken;
    } catch (error) {
      if (!(error instanceof OthersUnderWay)) throw error;
      await sleep(othersStepMs * (0.5 + Math.random()));
    }
  }
}

async function countTry({ limit, mark }: Try, mayWait: boolean, budget: RetryBudget): Promise<void> {
  const now = epochSeconds();
  const endsAt = now + limit.windowSeconds;
  const item = itemOf(limit);
  const marks = new Set([mark]);
  const hasRoom: Condition<RateRecord> = { tries: lessThan(limit.tries), expiresAt: greaterThan(now) };
  try {
    await transact(
      [
        upsert(
          item,
          { add: { tries: 1 }, insert: { marks }, setIfAbsent: { expiresAt: endsAt } },
          {
            if: [
              isNew,
              { ...hasRoom, marks: absent },
              { ...hasRoom, marks: [excludes(mark), sizeBelow(maximumMarks)] },
            ],
            refused: current => new NotCounted(current),
            refusesRepeat: true,
          },
        ),
      ],
      budget,
    );
  } catch (error) {
    if (!(error instanceof NotCounted)) throw error;
    const { tries = 0, expiresAt = 0, marks: others = new Set<string>() } = error.current;
    if (others.has(mark)) return;
    if (expiresAt <= now) {
      // DynamoDB removes expired items late. Another try may begin the new window first; then this one joins it.
      await transact([put(item, { tries: 1, marks, expiresAt: endsAt }, { if: { expiresAt: atMost(now) } })], budget);
      return;
    }
    if (tries < limit.tries) return discardOldMarks(limit, others, budget);
    if (limit.onlyFailures && mayWait && marksSince(others, now - underWaySeconds).length > 0)
      throw new OthersUnderWay();
    throw rateLimited(limit, expiresAt - now);
  }
}

/**
 * Makes room for marks.
 * @throws ConditionFailed always: the try has yet to be counted
 */
async function discardOldMarks(limit: RateLimit, marks: ReadonlySet<string>, budget: RetryBudget): Promise<never> {
  const recent = new Set(marksSince(marks, epochSeconds() - markLifetimeSeconds));
  const old = new Set([...marks].filter(mark => !recent.has(mark)));
  if (old.size > 0) await transact([update(itemOf(limit), { discard: { marks: old } }, { if: isThere })], budget);
  throw new ConditionFailed([0]);
}

function marksSince(marks: ReadonlySet<string>, seconds: number): string[] {
  return [...marks].filter(mark => Number.parseInt(mark, 10) > seconds);
}

/** Takes a try back because it does not count against the limit. */
export async function returnTry(taken: Try): Promise<void> {
  await transactIfHolds(returningTry(taken));
}

/** The same as a write of the transaction that the try was for. `refused` is thrown if the window ended meanwhile. */
export function returningTry({ limit, mark }: Try, refused?: () => Error): Write[] {
  if (limit.tries < 0) return [];
  return [
    update(
      itemOf(limit),
      { add: { tries: -1 }, discard: { marks: new Set([mark]) } },
      { if: { marks: includes(mark) }, refusesRepeat: true, ...(refused === undefined ? {} : { refused }) },
    ),
  ];
}

/** Ends a try that counts. */
export async function keepTry({ limit, mark }: Try): Promise<void> {
  if (limit.tries < 0) return;
  await transactIfHolds([
    update(itemOf(limit), { discard: { marks: new Set([mark]) } }, { if: { marks: includes(mark) } }),
  ]);
}

/** Forgets all tries so far, because the subject has proved its identity. */
export async function forgetTries({ limit, mark }: Try): Promise<void> {
  if (limit.tries < 0) return;
  await transactIfHolds([remove(itemOf(limit), { if: { marks: includes(mark) } })]);
}

/** The same as a write of the transaction that proves it. */
export function forgettingTries({ limit }: Try): Write[] {
  return limit.tries < 0 ? [] : [remove(itemOf(limit))];
}

function itemOf({ name, subject }: RateLimit) {
  return at(rateRecord, name, createHash('sha256').update(subject).digest('base64url'));
}

function epochSeconds(): number {
  return Math.floor(Date.now() / 1000);
}

function rateLimited({ tries }: RateLimit, retryAfterSeconds: number): ApiError {
  return new ApiError('rate_limited', `Too many tries (at most ${tries}). Wait ${retryAfterSeconds} seconds.`, {
    retryAfterSeconds,
  });
}

/**
 * The address that tries are counted for. Of IPv6 it is the first 64 bits, because a single subscriber has at least that
 * many addresses (RFC 6177).
 */
export function rateSubjectOfAddress(ip: string): string {
  if (!ipaddr.isValid(ip)) return ip;
  const address = ipaddr.process(ip);
  if (address.kind() === 'ipv4') return address.toString();
  return `${address.toByteArray().slice(0, 8).join('.')}/64`;
}

/** E-mail addresses are compared without case, as everywhere. */
export function rateSubjectOfEmail(email: string): string {
  return normalizeEmail(email);
}

/**
 * Takes one try from every limit, or from none of them.
 * @throws rate_limited
 */
export async function takeTries<const Limits extends readonly RateLimit[]>(
  limits: Limits,
): Promise<{ [Index in keyof Limits]: Try }> {
  const taken = await Promise.allSettled(limits.map(takeTry));
  const refused = taken.find(one => one.status === 'rejected');
  const tries = taken.flatMap(one => (one.status === 'fulfilled' ? [one.value] : []));
  if (refused === undefined) return tries as { [Index in keyof Limits]: Try };
  await Promise.all(tries.map(returnTry));
  throw refused.reason;
}
