import { randomUUID } from 'node:crypto';
import { ApiError } from '../core/errors.ts';
import type { Log } from '../core/logger.ts';
import { dayMs, expiryAfter, minuteMs } from '../core/time.ts';
import { type Counter, countOne } from '../limits/count.ts';
import { equals, isNew } from '../table/expressions.ts';
import { at, find } from '../table/read.ts';
import { type IssuerKeysRecord, issuerKeysRecord } from '../table/records/identity.ts';
import { retryOnConditionFailed, transact, transactIfHolds, update, upsert } from '../table/write.ts';
import { askWorker, requestTimeoutMs, workerTimeoutMs } from './ask-worker.ts';
import { type FetchedKeys, readFetchedKeys } from './discovery.ts';

/** The service contacts an issuer at most this often, even if tokens name unknown keys or the issuer is down. */
const betweenFetchesMs = minuteMs;
/** How soon the withdrawal of a key takes effect. */
const freshMs = 10 * minuteMs;
/** How long the last fetched keys are used while the issuer is down. */
const staleMs = dayMs;
/** By then a fetch has ended, or its process has died. */
const fetchEndsMs = workerTimeoutMs + 2000;
/** The limit of the documents, of which only the keys' public members are kept. */
const maximumAnswerBytes = 64 * 1024;

interface Fetching {
  log: Log;
  /** Count the fetch before it starts. */
  counters: readonly Counter[];
}

/**
 * The keys that can be used now, fetched if those in the table are too old. An unresponsive issuer delays a single
 * request per minute: the one that fetches.
 * @throws issuer_unavailable; rate_limited if too many keys are being fetched and none are stored
 */
export async function currentKeys(issuer: string, stored: IssuerKeysRecord | undefined, fetching: Fetching) {
  if (stored !== undefined && Date.now() - stored.fetchedAtMs < freshMs) return stored;
  const renewed = await renewedKeys(issuer, stored, fetching).catch(error => {
    if (error instanceof ApiError && error.code === 'rate_limited' && usableKeys(stored) !== undefined) return stored;
    throw error;
  });
  const usable = usableKeys(renewed);
  if (usable === undefined) throw issuerUnavailable(renewed);
  return usable;
}

/** Has the client retry after the current fetch, or else when the next one is allowed. */
export function issuerUnavailable(stored: IssuerKeysRecord | undefined): ApiError {
  const isUnderWay = isBeingFetched(stored);
  const waitMs = (stored?.triedAtMs ?? Date.now()) + (isUnderWay ? requestTimeoutMs : betweenFetchesMs) - Date.now();
  const problem = isUnderWay ? undefined : stored?.problem;
  const message = `The keys of the issuer can’t be read: ${problem ?? 'they are still being fetched'}.`;
  const retryAfterSeconds = Math.max(1, Math.ceil(waitMs / 1000));
  // The fetch has logged why. A customer's issuer must not look like a failing version, or it could stop a deployment.
  return new ApiError('issuer_unavailable', message, { retryAfterSeconds, isExpected: true });
}

/** Whether another request is fetching the keys. */
export function isBeingFetched(stored: IssuerKeysRecord | undefined): boolean {
  return stored !== undefined && stored.endedAtMs < stored.triedAtMs && Date.now() - stored.triedAtMs < fetchEndsMs;
}

/** Keys that can be used without contacting the issuer. */
export function usableKeys(stored: IssuerKeysRecord | undefined): IssuerKeysRecord | undefined {
  return stored !== undefined && Date.now() - stored.fetchedAtMs < staleMs ? stored : undefined;
}

/**
 * The keys after a fetch. If there was one within the last minute, or another request is fetching, those in the table.
 * @throws rate_limited
 */
export async function renewedKeys(issuer: string, stored: IssuerKeysRecord | undefined, { log, counters }: Fetching) {
  if (stored !== undefined && Date.now() - stored.triedAtMs < betweenFetchesMs) return stored;
  const fetchId = randomUUID();
  if (await beginFetch(issuer, fetchId, counters, stored)) {
    await endFetch(issuer, fetchId, await fetchKeys(issuer, log));
  }
  return find(at(issuerKeysRecord, issuer));
}

/** Whether this process does the fetch, which then counts. @throws rate_limited */
async function beginFetch(issuer: string, fetchId: string, counters: readonly Counter[], stored?: IssuerKeysRecord) {
  const triedAtMs = Date.now();
  const expiresAt = expiryAfter(0, triedAtMs + staleMs);
  const begin = upsert(
    at(issuerKeysRecord, issuer),
    { set: { issuer, triedAtMs, fetchId, expiresAt }, setIfAbsent: { keys: [], fetchedAtMs: 0, endedAtMs: 0 } },
    { if: stored === undefined ? isNew : { fetchId: equals(stored.fetchId) }, refused: () => new OtherFetchBegan() },
  );
  try {
    await retryOnConditionFailed(() => transact([begin, ...counters.flatMap(countOne)]));
    return true;
  } catch (error) {
    if (error instanceof OtherFetchBegan) return false;
    throw error;
  }
}

class OtherFetchBegan extends Error {}

async function endFetch(issuer: string, fetchId: string, fetched: FetchedKeys): Promise<void> {
  const endedAtMs = Date.now();
  const set = { ...fetched, endedAtMs, ...('keys' in fetched && { fetchedAtMs: endedAtMs, problem: undefined }) };
  // If this process was stalled for a minute, another one has fetched since.
  await transactIfHolds([update(at(issuerKeysRecord, issuer), { set }, { if: { fetchId: equals(fetchId) } })]);
}

/** A failed call of the worker is treated like an unresponsive issuer. */
async function fetchKeys(issuer: string, log: Log): Promise<FetchedKeys> {
  try {
    const fetched = readFetchedKeys(await askWorker({ issuer }, { maximumBytes: maximumAnswerBytes }));
    if ('problem' in fetched) log.warn('could not read the keys of an issuer', { issuer, problem: fetched.problem });
    return fetched;
  } catch (error) {
    log.error('could not invoke make-outbound-requests', error, { issuer });
    return { problem: 'the service could not fetch them' };
  }
}
