import { ApiError } from '../core/errors.ts';
import type { Log } from '../core/logger.ts';
import { processCollection, processVariable } from '../core/process-memory.ts';
import { currentWork, type RequestWork } from '../table/request-work.ts';
import { increment } from '../table/write.ts';
import { requestsOfOrganization } from './rate-limits.ts';

/*
 * Each organization has a share of requests per minute (`requestsPerMinute`, a limit of its plan), which only its own
 * callers use up. Each process counts in memory and adds its count, in steps of a thousandth of the share, to a shared counter that returns the total. This
 * runs in parallel with the first round trip of a later request, so no request waits for it. With 20 processes, an
 * organization can exceed its share by 2 %.
 *
 * A request counts as one when it is admitted and after each retry delay. When it ends, it counts again if its work was
 * that of several requests.
 */
const stepsPerShare = 1000;
const windowMs = 60_000;

/** The work that counts as one request. An ordinary pull or set takes far less. */
const workPerRequest = { readUnits: 25, auditBytes: 4096, ms: 250 };

interface Share {
  organizationId: string;
  slug: string;
  minute: number;
  /** -1 means unlimited. */
  bound: number;
  /** The total of all processes, as of the last response. */
  total: number;
  pending: number;
}

/** For the current clock minute, by the organization's id and by its slug, because paths contain either. */
const shares = processCollection('shares', new Map<string, Share>());
/** Counters with a full step to add to the shared count. */
const due = processCollection('due-shares', new Set<Share>());
const minuteOfShares = processVariable('minute-of-shares', () => 0);

function currentMinute(): number {
  const minute = Math.floor(Date.now() / windowMs);
  if (minute === minuteOfShares.value) return minute;
  // Otherwise a process that serves one long request a minute would never count it.
  const uncounted = minute === minuteOfShares.value + 1 ? [...due] : [];
  shares.clear();
  due.clear();
  minuteOfShares.value = minute;
  for (const { organizationId: id, slug, bound, pending } of uncounted) {
    add(shareOf({ id, slug, requestsPerMinute: bound }, minute), pending);
  }
  return minute;
}

function shareOf({ id, slug, requestsPerMinute: bound }: Payer, minute: number): Share {
  const share = shares.get(id) ?? { organizationId: id, slug, minute, bound, total: 0, pending: 0 };
  // The limit may have been changed since.
  share.bound = bound;
  shares.set(id, share).set(slug, share);
  return share;
}

type Payer = NonNullable<RequestWork['payer']>;

function add(share: Share, requests: number): void {
  const { bound } = share;
  share.pending += requests;
  if (bound >= 0 && share.pending >= Math.max(1, Math.floor(bound / stepsPerShare))) due.add(share);
}

const counterOf = ({ organizationId, minute, bound }: Share) => requestsOfOrganization(organizationId, minute, bound);

const isUsedUp = ({ bound, total, pending }: Share) => bound >= 0 && total + pending >= bound;

export function isOverShare(idOrSlug: string | undefined): boolean {
  currentMinute();
  const share = shares.get(idOrSlug ?? '');
  return share !== undefined && isUsedUp(share);
}

/**
 * Counts a request of one of the organization's own callers.
 * @throws rate_limited if the share of this minute is used up; such a request is not counted
 */
export function takeShare({ id, slug, requestsPerMinute }: Payer): void {
  const minute = currentMinute();
  const share = shareOf({ id, slug, requestsPerMinute }, minute);
  if (isUsedUp(share)) {
    const retryAfterSeconds = Math.ceil(((minute + 1) * windowMs - Date.now()) / 1000);
    const message = `The organization has used up its ${requestsPerMinute} requests for this minute. Expensive requests count as several. Wait ${retryAfterSeconds} seconds.`;
    throw new ApiError('rate_limited', message, { retryAfterSeconds });
  }
  add(share, 1);
  const work = currentWork();
  if (work === undefined) return;
  work.payer = { id, slug, requestsPerMinute };
  work.charged += 1;
}

/** Counts the work of the current request that its organization has not been charged for yet. Makes no call. */
export function chargeWork(): void {
  const work = currentWork();
  if (work?.payer === undefined) return;
  const surplus = requestsWorth(work) - work.charged;
  if (surplus <= 0) return;
  add(shareOf(work.payer, currentMinute()), surplus);
  work.charged += surplus;
}

/** The number of requests that the work counts as, by what it used most. */
function requestsWorth({ readUnits, auditBytes, startedAtMs }: RequestWork): number {
  const timeMs = Date.now() - startedAtMs;
  const { readUnits: units, auditBytes: bytes, ms } = workPerRequest;
  return Math.ceil(Math.max(readUnits / units, auditBytes / bytes, timeMs / ms));
}

/** Adds the full steps to the shared counts. Never rejects: a failure to count must not fail a request. */
export async function flushShares(log: Log): Promise<void> {
  const flushed = [...due];
  due.clear();
  await Promise.all(flushed.map(share => flush(share, log)));
}

async function flush(share: Share, log: Log): Promise<void> {
  const counted = share.pending;
  share.pending = 0;
  // Added before the call, because other requests of this process read it in the meantime.
  share.total += counted;
  try {
    const expiresAt = ((share.minute + 2) * windowMs) / 1000;
    const { tries } = await increment(counterOf(share).item, { add: { tries: counted }, setIfAbsent: { expiresAt } });
    share.total = Math.max(share.total, tries);
  } catch (error) {
    log.error('could not count the requests of an organization', error);
  }
}
