import { AsyncLocalStorage } from 'node:async_hooks';
import { ApiError } from './errors.ts';
import { processCollection } from './process-memory.ts';

/*
 * A request that waits for capacity occupies a concurrent execution, and the account has a limited number of them for
 * all tenants. So a request tries again for less than half a second. Then its process rejects everything that needs the
 * same resource for 2 to 30 seconds, and after that lets one request through to find out (decision 48).
 *
 * Whatever the load, this bounds the share of its time that a process spends waiting: 0.4 s in every 2.4 s, a sixth.
 */

/** The longest pauses before the second and the third attempt. */
const pausesMs = [100, 300];
const firstWindowMs = 4_000;
const longestWindowMs = 30_000;
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

/** Runs the part of a request that ends the throttling. It makes its three attempts in any case. */
export function evenIfThrottled<T>(work: () => T): T {
  return requests.run(requests.getStore() && { tries: true }, work);
}

/** Runs work that waits for capacity, as background work always does: others would have to undo or repeat it. */
export function waitingForCapacity<T>(work: () => T): T {
  return requests.run(undefined, work);
}

interface Call {
  /** The resources that the call needs capacity of, such as a partition. */
  needs: readonly string[];
  /** Which of them the error says are throttled; undefined if it is a different error. May be empty. */
  missingIn: (error: unknown) => readonly string[] | undefined;
  /** Whether the error shows that the request was processed. */
  isAnswer: (error: unknown) => boolean;
  /** An earlier attempt may have been executed, so the caller needs the next answer. */
  mayBeExecuted: () => boolean;
}

/**
 * Sends a call, below the SDK's own retries.
 * @throws CapacityMissing, which the SDK does not retry; outside of a request, the error of the attempt
 */
export async function withinCapacity<T>(call: Call, attempt: () => Promise<T>): Promise<T> {
  const request = requests.getStore();
  const sheds = () => request !== undefined && !call.mayBeExecuted();
  for (let refusals = 0; ; refusals += 1) {
    const isProbe = request?.tries === false && sheds() && admit(call.needs, request);
    try {
      const answer = await attempt();
      noteServed(call.needs);
      return answer;
    } catch (error) {
      const missing = call.missingIn(error);
      if (missing === undefined && call.isAnswer(error)) noteServed(call.needs);
      if (missing === undefined || !sheds()) throw error;
      const pauseMs = isProbe ? undefined : pausesMs[refusals];
      if (pauseMs === undefined) throw noteThrottled(missing, request);
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

function noteThrottled(missing: readonly string[], request: object | undefined): CapacityMissing {
  const now = Date.now();
  let endsAtMs = now + windowMs(1);
  for (const need of missing) {
    const { failures, probe, ...before } = throttled.get(need) ?? { failures: 0, endsAtMs: 0 };
    // A concurrent call has already counted this failure.
    const isCounted = now < before.endsAtMs && probe !== request;
    const next = isCounted ? before.endsAtMs : now + windowMs(failures + 1);
    throttled.delete(need);
    // A Map keeps insertion order, so the first entry is the oldest.
    if (throttled.size >= maximumResources) throttled.delete(throttled.keys().next().value ?? '');
    throttled.set(need, { failures: isCounted ? failures : failures + 1, endsAtMs: next });
    endsAtMs = Math.max(endsAtMs, next);
  }
  return capacityMissing(endsAtMs - now);
}

/** From 2 s to 4 s, and twice as long after each further failure, up to 30 s. */
function windowMs(failures: number): number {
  return Math.min(longestWindowMs, firstWindowMs * 2 ** (failures - 1)) * (0.5 + Math.random() / 2);
}

/** Clients that are rejected at the same moment must not come back at the same moment. */
function capacityMissing(leftMs: number): CapacityMissing {
  const spreadMs = Math.min(longestWindowMs, leftMs * (1 + Math.random() / 4));
  const retryAfterSeconds = Math.ceil(spreadMs / 1000);
  const message = `There is not enough capacity for this request right now. Send it again in ${retryAfterSeconds} s.`;
  return new CapacityMissing('temporarily_unavailable', message, { retryAfterSeconds, isExpected: true });
}
