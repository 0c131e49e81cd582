import { randomUUID } from 'node:crypto';
import { ApiError } from '../core/errors.ts';
import type { Log } from '../core/logger.ts';
import { epochSeconds } from '../core/time.ts';
import { absent, atMost, attribute, equals } from '../table/expressions.ts';
import { at } from '../table/read.ts';
import { type LongQuestionsRecord, longQuestionsRecord } from '../table/records/limits.ts';
import { ConditionFailed, transactIfHolds, update, upsert } from '../table/write.ts';
import { chargeWork, flushShares } from './fair-share.ts';

/*
 * A question about the audit log can occupy a function for twenty seconds, and its cost is only known at the end. So
 * each organization has two places, shared by all processes. A place is a lease that outlasts the function.
 */
const places = ['first', 'second'] as const;
type Place = (typeof places)[number];

/** Longer than the timeout of a function (29 s). */
const leaseSeconds = 30;

/** API Gateway waits 30 s for a response. */
const longestReadingMs = 12_000;
const longestAnswerMs = 20_000;

/** How much of a log one request may read: pages of up to 1 MB, until a time in epoch milliseconds. */
export interface ReadBudget {
  pages: number;
  readonly endsAt: number;
}

export const readBudget = (pages: number): ReadBudget => ({ pages, endsAt: Date.now() + longestReadingMs });

export interface LongQuestion {
  /** Resolves once the question has a place. Until then it may read anything except the log. */
  admitted: Promise<unknown>;
  answerBy: number;
}

/** Answers a long question in one of the organization's places. @throws rate_limited while both are taken */
export async function asLongQuestion<T>(
  { organization: { id }, log }: { organization: { id: string }; log: Log },
  answer: (question: LongQuestion) => Promise<T>,
): Promise<T> {
  const holder = randomUUID();
  const admitted = takePlace(id, holder);
  // `answer` may fail before it awaits this.
  admitted.catch(() => undefined);
  try {
    return await answer({ admitted, answerBy: Date.now() + longestAnswerMs });
  } finally {
    chargeWork();
    const leave = async () => {
      const place = await admitted.catch(() => undefined);
      if (place !== undefined) await leavePlace(id, place, holder, log);
    };
    await Promise.all([leave(), flushShares(log)]);
  }
}

/** @throws rate_limited if both places are taken */
async function takePlace(organizationId: string, holder: string): Promise<Place> {
  const now = epochSeconds();
  const endsAt = now + leaseSeconds;
  for (const place of Math.random() < 0.5 ? places : places.toReversed()) {
    const refused = (stored: Partial<LongQuestionsRecord> = {}) => {
      const areTaken = places.every(name => (stored[name]?.endsAt ?? 0) > now);
      return areTaken ? tooManyQuestions() : new ConditionFailed([]);
    };
    const write = upsert(
      at(longQuestionsRecord, organizationId),
      { set: { ...attribute(place, { holder, endsAt }), expiresAt: endsAt } },
      { if: [attribute(place, absent), attribute(`${place}.endsAt` as const, atMost(now))], refused },
    );
    if (await transactIfHolds([write])) return place;
  }
  throw tooManyQuestions();
}

/** Never rejects, because the question has been answered and the lease ends by itself. */
async function leavePlace(organizationId: string, place: Place, holder: string, log: Log): Promise<void> {
  const isHeld = attribute(`${place}.holder` as const, equals(holder));
  const questions = at(longQuestionsRecord, organizationId);
  try {
    await transactIfHolds([update(questions, { set: attribute(place, undefined) }, { if: isHeld })]);
  } catch (error) {
    log.warn('could not free the place of a long question', { reason: String(error) });
  }
}

function tooManyQuestions(): ApiError {
  const message = 'Two long queries of this organization’s audit log are already running. Wait 2 seconds.';
  return new ApiError('rate_limited', message, { retryAfterSeconds: 2 });
}
