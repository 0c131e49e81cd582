import { AsyncLocalStorage } from 'node:async_hooks';
import { ApiError } from './errors.ts';
import { isOutage } from './outage.ts';
import { processCollection } from './process-memory.ts';

/*
 * A request that waits for capacity, or for a service that fails, occupies a concurrent execution, and the account has a
 * limited number of them for all tenants. So a request makes three attempts within half a second, or two if the first
 * one hangs. Then its process rejects everything that needs the same resource for 2 to 30 seconds, and after that lets
 * one request through to find out (decision 48).
 *
 * Whatever the load, this bounds the share of its time that a process spends waiting: 0.4 s in every 2.4 s, a sixth; or
 * 4.1 s in every 20, a fifth.
 */

/** The longest pauses before the second and the third attempt. */
const pausesMs = [100, 300] as const;
/** No attempt begins later. An attempt that hangs ends after 2 s (`call-limits.ts`). */
const lastAttemptMs = 2_500;
/** Attempts that take longer on average hang; others fail at once. */
const hangMs = 1_000;
const firstWindowMs = 4_000;
const longestWindowMs = 30_000;
/** Others are rejected for at least this many times as long as the first request waited. */
const windowPerWait = 8;
/** How long others are rejected while one request finds out. */
const probeMs = 1_000;
/** A resource that nothing has needed since is tried as if it had never been throttled. */
const forgottenAfterMs = 30_000;
const maximumResources = 10_000;

/** Capacity is missing. Nothing was executed. */
export class CapacityMissing extends ApiError {}

interface Throttled {
  failures: number;
  /** Until then, requests are rejected. */
  endsAtMs: number;
  /** The request that finds out whether there is capacity again. */
  probe?: object | undefined;
  /** What the call needs, if its attempts hung. */
  failed?: readonly string[] | undefined;
}

const throttled = processCollection('throttled-resources', new Map<string, Throttled>());

interface Request {
  /** Sends calls although their resources are known to be throttled. */
  tries: boolean;
}

const requests = new AsyncLocalStorage<Request | undefined>();

/** Runs a request, which gets `CapacityMissing` instead of waiting. */
export function shedding<T>(request: () => T): T {
  return requests.run({ tries: false }, request);
}

/** Runs the part of a request that ends the throttling, or finds out what was executed. It makes its three attempts. */
export function evenIfThrottled<T>(work: () => T): T {
  return requests.run({ tries: true }, work);
}

/** Runs work that waits for capacity, as background work always does: others would have to undo or repeat it. */
export function waitingForCapacity<T>(work: () => T): T {
  return requests.run(undefined, work);
}

interface Call {
  /** The resources that the call needs capacity of, such as a partition. The first one contains all others. */
  needs: readonly string[];
  /** Those that fail if the call fails: an error of the service doesn't say which. */
  failing: readonly string[];
  /** Which of them the error says are throttled; undefined if it is a different error. May be empty. */
  missingIn: (error: unknown) => readonly string[] | undefined;
  /** Whether the error shows that the request was processed. */
  isAnswer: (error: unknown) => boolean;
  /** An earlier attempt may have been executed, so the caller needs the next answer. */
  mayBeExecuted: () => boolean;
}

/**
 * Sends a call, below the SDK's own retries.
 * @throws CapacityMissing, or a plain `temporarily_unavailable` if the service failed and may have executed the call;
 * the SDK retries neither. Outside of a request, the error of the attempt
 */
export async function withinCapacity<T>(call: Call, attempt: () => Promise<T>): Promise<T> {
  const request = requests.getStore();
  const sheds = () => request !== undefined && !call.mayBeExecuted();
  const startedAt = Date.now();
  for (let refusals = 0; ; refusals += 1) {
    const isProbe = request?.tries === false && sheds() && admit(call.needs, request);
    try {
      const answer = await attempt();
      noteServed(call.needs);
      return answer;
    } catch (error) {
      const missing = call.missingIn(error);
      const isFailed = missing === undefined && isOutage(error);
      if (missing === undefined && call.isAnswer(error)) noteServed(call.needs);
      if (request === undefined || !(isFailed || (missing !== undefined && sheds()))) throw error;
      // After an attempt that may have been executed, the next response tells whether it was. So time alone ends it.
      const [, longestMs] = pausesMs;
      const lastPauseMs = isFailed && !sheds() ? longestMs : undefined;
      const pauseMs = isProbe && sheds() ? undefined : (pausesMs[refusals] ?? lastPauseMs);
      const waitedMs = Date.now() - startedAt;
      if (pauseMs === undefined || waitedMs > lastAttemptMs) {
        if (missing !== undefined) throw capacityMissing(noteThrottled(missing, request));
        const failed = waitedMs > hangMs * (refusals + 1) ? call.needs : undefined;
        throw outage(noteThrottled(failingIn(call, failed), request, { failed, waitedMs }), error);
      }
      await new Promise(resolve => setTimeout(resolve, Math.random() * pauseMs));
    }
  }
}

/**
 * @returns whether the request finds out about one of the resources
 * @throws CapacityMissing if one of them is throttled
 */
function admit(needs: readonly string[], request: object): boolean {
  const now = Date.now();
  const known: Throttled[] = [];
  for (const need of needs) {
    const resource = throttled.get(need);
    if (resource === undefined) continue;
    if (now < resource.endsAtMs + forgottenAfterMs) known.push(resource);
    else throttled.delete(need);
  }
  const others = known.filter(({ probe }) => probe !== request);
  const leftMs = Math.max(0, ...others.map(({ endsAtMs }) => endsAtMs - now));
  if (leftMs > 0) throw capacityMissing(leftMs);
  for (const resource of others) Object.assign(resource, { probe: request, endsAtMs: now + probeMs });
  return known.length > 0;
}

function noteServed(needs: readonly string[]): void {
  for (const need of needs) throttled.delete(need);
}

/**
 * If calls hang that have no other resource in common, it is their first one that fails. Calls that fail at once don't
 * need this: they occupy each request as briefly as throttling does.
 */
function failingIn({ needs, failing }: Call, hung: readonly string[] | undefined): readonly string[] {
  const [whole = ''] = needs;
  const now = Date.now();
  const isElsewhere = ({ failed: [first, ...others] = [], endsAtMs }: Throttled) =>
    first === whole && now < endsAtMs + forgottenAfterMs && !others.some(need => needs.includes(need));
  const isWhole = hung !== undefined && needs.length > 1 && [...throttled.values()].some(isElsewhere);
  return isWhole ? [whole, ...failing] : failing;
}

/** @returns for how long requests are rejected */
function noteThrottled(
  missing: readonly string[],
  request: object | undefined,
  { failed, waitedMs = 0 }: { failed?: readonly string[] | undefined; waitedMs?: number } = {},
): number {
  const now = Date.now();
  let endsAtMs = now + windowMs(1, waitedMs);
  for (const need of missing) {
    const { failures, probe, ...before } = throttled.get(need) ?? { failures: 0, endsAtMs: 0 };
    // A concurrent call has already counted this failure.
    const isCounted = now < before.endsAtMs && probe !== request;
    const next = isCounted ? before.endsAtMs : now + windowMs(failures + 1, waitedMs);
    throttled.delete(need);
    // A Map keeps insertion order, so the first entry is the oldest.
    if (throttled.size >= maximumResources) throttled.delete(throttled.keys().next().value ?? '');
    throttled.set(need, { failures: isCounted ? failures : failures + 1, endsAtMs: next, failed });
    endsAtMs = Math.max(endsAtMs, next);
  }
  return endsAtMs - now;
}

/** From 2 s to 4 s, and twice as long after each further failure, up to 30 s. */
function windowMs(failures: number, waitedMs: number): number {
  const leastMs = Math.max(firstWindowMs * 2 ** (failures - 1), windowPerWait * waitedMs);
  return Math.min(longestWindowMs, leastMs) * (0.5 + Math.random() / 2);
}

/** Clients that are rejected at the same moment must not come back at the same moment. */
function retryAfter(leftMs: number): number {
  return Math.ceil(Math.min(longestWindowMs, leftMs * (1 + Math.random() / 4)) / 1000);
}

function capacityMissing(leftMs: number): CapacityMissing {
  const retryAfterSeconds = retryAfter(leftMs);
  const message = `There is not enough capacity for this request right now. Send it again in ${retryAfterSeconds} s.`;
  return new CapacityMissing('temporarily_unavailable', message, { retryAfterSeconds, isExpected: true });
}

function outage(leftMs: number, cause: unknown): ApiError {
  const retryAfterSeconds = retryAfter(leftMs);
  const message = `The service could not complete this right now. Send it again in ${retryAfterSeconds} s.`;
  // The SDK would retry because of the cause itself.
  const logged = new Error(String(cause));
  return new ApiError('temporarily_unavailable', message, { retryAfterSeconds, cause: logged });
}
