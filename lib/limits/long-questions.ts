import { randomUUID } from 'node:crypto';
import { ApiError } from '../core/errors.ts';
import type { Log } from '../core/logger.ts';
import { absent, atMost, attribute, equals } from '../table/expressions.ts';
import { at } from '../table/read.ts';
import { type LongQuestionsRecord, longQuestionsRecord } from '../table/records/long-questions.ts';
import { transact, transactIfHolds, update, upsert } from '../table/write.ts';
import { chargeWork, flushShares } from './fair-share.ts';

/*
 * A question about the audit log can occupy a function for twenty seconds, and what it costs is only known when it ends.
 * So an organization has two places for such questions, whichever processes answer them. A place is a lease: it outlasts
 * the function's timeout, and frees itself if the function dies.
 */
const places = ['first', 'second'] as const;
type Place = (typeof places)[number];

/** Longer than the timeout of a function (29 s). */
const leaseSeconds = 30;

/** Most questions take less. */
const retryAfterSeconds = 2;

class PlaceTaken extends Error {}

/**
 * Answers a long question in one of the organization's places.
 * @param ask gets a promise that resolves once the question has a place. It must wait for it before it reads the log, and
 * may look up in the meantime what it needs for that.
 * @throws rate_limited while two others run
 */
export async function asLongQuestion<T>(
  { organization: { id }, log }: { organization: { id: string }; log: Log },
  ask: (admitted: Promise<unknown>) => Promise<T>,
): Promise<T> {
  const holder = randomUUID();
  const taking = takePlace(id, holder);
  // `ask` may fail before it waits for its place.
  taking.catch(() => undefined);
  try {
    return await ask(taking);
  } finally {
    chargeWork();
    const leave = async () => {
      const place = await taking.catch(() => undefined);
      if (place !== undefined) await leavePlace(id, place, holder, log);
    };
    await Promise.all([leave(), flushShares(log)]);
  }
}

async function takePlace(organizationId: string, holder: string): Promise<Place> {
  const inOrder = Math.random() < 0.5 ? places : places.toReversed();
  for (const place of inOrder) {
    try {
      await tryPlace(organizationId, place, holder);
      return place;
    } catch (error) {
      if (!(error instanceof PlaceTaken)) throw error;
    }
  }
  throw tooManyQuestions();
}

/** @throws PlaceTaken if another place is free, rate_limited if none is */
async function tryPlace(organizationId: string, place: Place, holder: string): Promise<void> {
  const now = Math.floor(Date.now() / 1000);
  const endsAt = now + leaseSeconds;
  const refused = (stored: Partial<LongQuestionsRecord> = {}) =>
    places.every(one => (stored[one]?.endsAt ?? 0) > now) ? tooManyQuestions() : new PlaceTaken();
  const write = upsert(
    at(longQuestionsRecord, organizationId),
    { set: { ...attribute(place, { holder, endsAt }), expiresAt: endsAt } },
    { if: [attribute(place, absent), attribute(`${place}.endsAt` as const, atMost(now))], refused },
  );
  await transact([write]);
}

/** Never rejects: the question is answered, and the lease ends by itself. */
async function leavePlace(organizationId: string, place: Place, holder: string, log: Log): Promise<void> {
  const isHolders = attribute(`${place}.holder` as const, equals(holder));
  try {
    await transactIfHolds([
      update(at(longQuestionsRecord, organizationId), { set: attribute(place, undefined) }, { if: isHolders }),
    ]);
  } catch (error) {
    log.warn('could not free the place of a long question', { reason: String(error) });
  }
}

function tooManyQuestions(): ApiError {
  return new ApiError(
    'rate_limited',
    `Two long queries of this organization’s audit log are already running. Wait ${retryAfterSeconds} seconds.`,
    { retryAfterSeconds },
  );
}
