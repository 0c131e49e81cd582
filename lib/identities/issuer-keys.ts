import { randomUUID } from 'node:crypto';
import { ApiError } from '../core/errors.ts';
import { invokeFunction } from '../core/invoke-function.ts';
import type { Log } from '../core/logger.ts';
import { requiredSetting } from '../core/settings.ts';
import { type Counter, countOne } from '../limits/count.ts';
import { equals, isNew } from '../table/expressions.ts';
import { at, find } from '../table/read.ts';
import { type IssuerKeysRecord, issuerKeysRecord } from '../table/records/issuer-keys.ts';
import { retryOnConditionFailed, transact, transactIfHolds, update, upsert } from '../table/write.ts';
import { type FetchedKeys, fetchTimeoutMs, maximumAnswerBytes, readFetchedKeys } from './fetched-keys.ts';

/*
 * Issuers' keys are stored in the table, so all processes share them. The service contacts an issuer at most once a
 * minute, even if tokens name unknown keys or the issuer is down.
 */
const betweenFetchesMs = 60_000;
/** How soon the withdrawal of a key takes effect. */
const freshMs = 10 * 60_000;
/** How long the last known keys are used while the issuer is down. */
const staleMs = 24 * 60 * 60_000;
/** The fetch, plus a cold start of the function that makes it. */
const askingTimeoutMs = fetchTimeoutMs + 3000;
/** A fetch that has not finished by then never will: its process died. */
const fetchEndsMs = askingTimeoutMs + 2000;

/** A request that may have to fetch keys. */
interface Fetching {
  log: Log;
  /** Count the fetch before it starts. */
  counters: readonly Counter[];
}

/**
 * The keys that can be used now, fetched if those in the table are too old. Only the request that fetches waits for the
 * issuer, so an unresponsive one delays a single request per minute.
 * @throws issuer_unavailable; rate_limited if too many keys are being fetched and none are known
 */
export async function currentKeys(
  issuer: string,
  known: IssuerKeysRecord | undefined,
  fetching: Fetching,
): Promise<IssuerKeysRecord> {
  if (known !== undefined && Date.now() - known.fetchedAtMs < freshMs) return known;
  const renewed = await renewedKeys(issuer, known, fetching).catch(error => {
    if (error instanceof ApiError && error.code === 'rate_limited' && usableKeys(known) !== undefined) return known;
    throw error;
  });
  const usable = usableKeys(renewed);
  if (usable === undefined) throw issuerUnavailable(renewed);
  return usable;
}

/**
 * Tells the client to retry when the current fetch has finished, or else when the next one is allowed. Pure except for
 * the clock.
 */
export function issuerUnavailable(known: IssuerKeysRecord | undefined): ApiError {
  const isUnderWay = isBeingFetched(known);
  const waitMs = (known?.triedAtMs ?? Date.now()) + (isUnderWay ? fetchTimeoutMs : betweenFetchesMs) - Date.now();
  const problem = isUnderWay ? undefined : known?.problem;
  return new ApiError(
    'issuer_unavailable',
    `The keys of the issuer can’t be read: ${problem ?? 'they are still being fetched'}.`,
    { retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1000)) },
  );
}

/** Whether another request is fetching the keys. */
export function isBeingFetched(known: IssuerKeysRecord | undefined): boolean {
  return known !== undefined && known.endedAtMs < known.triedAtMs && Date.now() - known.triedAtMs < fetchEndsMs;
}

/** Keys that can be used without contacting the issuer. */
export function usableKeys(known: IssuerKeysRecord | undefined): IssuerKeysRecord | undefined {
  return known !== undefined && Date.now() - known.fetchedAtMs < staleMs ? known : undefined;
}

/**
 * The keys after a fetch that started later than `known` was read.
 * @returns the keys in the table, without waiting, if there was such a fetch within the last minute or another request
 * is fetching
 * @throws rate_limited
 */
export async function renewedKeys(
  issuer: string,
  known: IssuerKeysRecord | undefined,
  { log, counters }: Fetching,
): Promise<IssuerKeysRecord | undefined> {
  if (known !== undefined && Date.now() - known.triedAtMs < betweenFetchesMs) return known;
  const fetchId = randomUUID();
  if (await beginFetch(issuer, known, fetchId, counters))
    await endFetch(issuer, fetchId, await askForKeys(issuer, log));
  return find(at(issuerKeysRecord, issuer));
}

/** Whether this process does the fetch, which then counts. @throws rate_limited */
async function beginFetch(
  issuer: string,
  known: IssuerKeysRecord | undefined,
  fetchId: string,
  counters: readonly Counter[],
): Promise<boolean> {
  const triedAtMs = Date.now();
  const expiresAt = Math.ceil((triedAtMs + staleMs) / 1000);
  const begin = upsert(
    at(issuerKeysRecord, issuer),
    { set: { issuer, triedAtMs, fetchId, expiresAt }, setIfAbsent: { keys: [], fetchedAtMs: 0, endedAtMs: 0 } },
    {
      if: known === undefined ? isNew : { fetchId: equals(known.fetchId) },
      refused: () => new OtherFetchBegun(),
    },
  );
  try {
    await retryOnConditionFailed(() => transact([begin, ...counters.flatMap(countOne)]));
    return true;
  } catch (error) {
    if (error instanceof OtherFetchBegun) return false;
    throw error;
  }
}

class OtherFetchBegun extends Error {}

async function endFetch(issuer: string, fetchId: string, fetched: FetchedKeys): Promise<void> {
  const endedAtMs = Date.now();
  const set =
    'keys' in fetched
      ? { ...fetched, endedAtMs, fetchedAtMs: endedAtMs, problem: undefined }
      : { ...fetched, endedAtMs };
  // If this process was stalled for a minute, another one has fetched since.
  await transactIfHolds([update(at(issuerKeysRecord, issuer), { set }, { if: { fetchId: equals(fetchId) } })]);
}

/**
 * Has the keys fetched by the one function that may connect to customers' hosts. A failed call is treated like an
 * unresponsive issuer: the next call is made after a minute.
 */
async function askForKeys(issuer: string, log: Log): Promise<FetchedKeys> {
  try {
    const answer = await invokeFunction({
      functionName: requiredSetting('ISSUER_KEYS_FUNCTION'),
      event: { issuer },
      timeoutMs: askingTimeoutMs,
      maximumAnswerBytes,
    });
    const fetched = readFetchedKeys(answer);
    if ('problem' in fetched) log.warn('could not read the keys of an issuer', { issuer, problem: fetched.problem });
    return fetched;
  } catch (error) {
    log.error('could not invoke fetch-issuer-keys', error, { issuer });
    return { problem: 'the service could not fetch them' };
  }
}
