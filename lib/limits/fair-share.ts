import { ApiError } from '../core/errors.ts';
import type { Log } from '../core/logger.ts';
import { processCollection, processVariable } from '../core/process-memory.ts';
import type { OrganizationRecord } from '../table/records/organization.ts';
import { currentWork, type RequestWork } from '../table/request-work.ts';
import { increment } from '../table/write.ts';
import { requestsOfOrganization } from './rate-limits.ts';

/*
 * Each organization has a share of requests per minute, which only its own callers use up. Each process counts in
 * memory and, in steps of a thousandth of the share, adds its count to a shared counter, which returns the total of all
 * processes. This happens in parallel with the first round trip of a later request, so no request waits for it. With 20
 * processes, an organization can exceed its share by 2 %.
 *
 * A request counts as one when it is admitted, and again after each retry delay. When it ends, what it has used is known,
 * and if that is the work of more requests, the rest counts too.
 */
const stepsPerShare = 1000;
const windowMs = 60_000;

/** What one request may use. An ordinary pull or set uses far less of each. */
const workPerRequest = { readUnits: 25, auditBytes: 4096, ms: 250 };

interface Share {
  organizationId: string;
  slug: string;
  minute: number;
  /** The total of all processes, as of the last response. */
  total: number;
  /** Requests counted in this process since then. */
  pending: number;
}

/** For the current clock minute, by the organization's id and by its slug, because paths contain either. */
const shares = processCollection('shares', new Map<string, Share>());
/** Counters with a full step to add to the shared count. */
const due = processCollection('due-shares', new Set<Share>());
const minuteOfShares = processVariable('minute-of-shares', () => 0);

function currentMinute(): number {
  const minute = Math.floor(Date.now() / windowMs);
  if (minute !== minuteOfShares.value) {
    const isNext = minute === minuteOfShares.value + 1;
    const uncounted = isNext ? [...due] : [];
    shares.clear();
    due.clear();
    minuteOfShares.value = minute;
    // Otherwise a process that serves one long request a minute would never count it.
    for (const { organizationId: id, slug, pending } of uncounted) add(shareOf({ id, slug }, minute), pending);
  }
  return minute;
}

function shareOf({ id, slug }: Payer, minute: number): Share {
  const share = shares.get(id) ?? { organizationId: id, slug, minute, total: 0, pending: 0 };
  shares.set(id, share).set(slug, share);
  return share;
}

type Payer = Pick<OrganizationRecord, 'id' | 'slug'>;

function add(share: Share, requests: number): void {
  const { bound } = counterOf(share);
  share.pending += requests;
  if (bound >= 0 && share.pending >= Math.max(1, Math.floor(bound / stepsPerShare))) due.add(share);
}

const counterOf = ({ organizationId, minute }: Share) => requestsOfOrganization(organizationId, minute);

function isUsedUp(share: Share, bound: number): boolean {
  return bound >= 0 && share.total + share.pending >= bound;
}

/** Whether an organization is known to have used up its share of this minute. */
export function isOverShare(idOrSlug: string | undefined): boolean {
  currentMinute();
  const share = shares.get(idOrSlug ?? '');
  return share !== undefined && isUsedUp(share, counterOf(share).bound);
}

/**
 * Counts a request of one of the organization's own callers.
 * @throws rate_limited if the share of this minute is used up; such a request is not counted
 */
export function takeShare({ id, slug }: Payer): void {
  const minute = currentMinute();
  const share = shareOf({ id, slug }, minute);
  const { bound } = counterOf(share);
  if (isUsedUp(share, bound)) {
    const retryAfterSeconds = Math.ceil(((minute + 1) * windowMs - Date.now()) / 1000);
    throw new ApiError(
      'rate_limited',
      `The organization has used up its ${bound} requests for this minute. A request that takes much work counts as several. Wait ${retryAfterSeconds} seconds.`,
      { retryAfterSeconds },
    );
  }
  add(share, 1);
  const work = currentWork();
  if (work === undefined) return;
  work.payer = { id, slug };
  work.charged += 1;
}

/** Counts what the current request has used beyond what its organization was charged so far. Sends nothing. */
export function chargeWork(): void {
  const work = currentWork();
  if (work?.payer === undefined) return;
  const surplus = requestsWorth(work) - work.charged;
  if (surplus <= 0) return;
  add(shareOf(work.payer, currentMinute()), surplus);
  work.charged += surplus;
}

/** As many requests as it takes for the part of the work that takes most. */
function requestsWorth({ readUnits, auditBytes, startedAtMs }: RequestWork): number {
  return Math.max(
    Math.ceil(readUnits / workPerRequest.readUnits),
    Math.ceil(auditBytes / workPerRequest.auditBytes),
    Math.ceil((Date.now() - startedAtMs) / workPerRequest.ms),
  );
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
