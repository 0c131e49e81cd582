import { ApiError } from '../core/errors.ts';
import type { Log } from '../core/logger.ts';
import { settings } from '../core/settings.ts';
import type { OrganizationRecord } from '../table/records/organization.ts';
import { rateRecord } from '../table/records/rate.ts';
import { at, increment } from '../table/store.ts';

/*
 * Each organization has a share of requests a minute, and only its own callers use it up. A process counts in memory. It
 * adds its count to the minute's common count, and the answer is the count of all processes. It does that in parallel to
 * the first wave of a later request, so no request waits for it, and in steps of a thousandth of the share. With 20
 * processes an organization can exceed its share by 2 %.
 */
const windowMs = 60_000;
const stepsPerShare = 1000;

interface Share {
  minute: number;
  organizationId: string;
  /** Of all processes, as of the last answer. */
  total: number;
  /** Counted here since. */
  pending: number;
}

/** By the organization's id and by its slug, as paths name it. */
let shares = new Map<string, Share>();
let minuteOfShares = 0;
const due = new Set<Share>();

function sharesOf(minute: number): Map<string, Share> {
  if (minute !== minuteOfShares) {
    shares = new Map();
    due.clear();
    minuteOfShares = minute;
  }
  return shares;
}

const currentMinute = () => Math.floor(Date.now() / windowMs);

/** Whether an organization is known to have used up its share of this minute. */
export function isOverShare(idOrSlug: string | undefined): boolean {
  const limit = settings().REQUESTS_PER_MINUTE;
  const share = idOrSlug === undefined ? undefined : sharesOf(currentMinute()).get(idOrSlug);
  return limit >= 0 && share !== undefined && share.total + share.pending >= limit;
}

/**
 * Counts a request of one of the organization's own callers.
 * @throws rate_limited if the share of this minute is used up; such a request is not counted
 */
export function takeShare({ id, slug }: Pick<OrganizationRecord, 'id' | 'slug'>): void {
  const limit = settings().REQUESTS_PER_MINUTE;
  if (limit < 0) return;
  const minute = currentMinute();
  const known = sharesOf(minute);
  const share = known.get(id) ?? { minute, organizationId: id, total: 0, pending: 0 };
  known.set(id, share);
  known.set(slug, share);
  if (share.total + share.pending >= limit) {
    const retryAfterSeconds = Math.ceil(((minute + 1) * windowMs - Date.now()) / 1000);
    throw new ApiError(
      'rate_limited',
      `The organization has used up its ${limit} requests of this minute. Wait ${retryAfterSeconds} seconds.`,
      { retryAfterSeconds },
    );
  }
  share.pending += 1;
  if (share.pending >= Math.max(1, Math.floor(limit / stepsPerShare))) due.add(share);
}

/** Adds what is due to the common counts. Never rejects: a share that could not be counted must not fail a request. */
export async function flushShares(log: Log): Promise<void> {
  const flushed = [...due];
  due.clear();
  await Promise.all(flushed.map(share => flush(share, log)));
}

async function flush(share: Share, log: Log): Promise<void> {
  const counted = share.pending;
  share.pending = 0;
  // Added now, because other requests of this process read it while the call is under way.
  share.total += counted;
  try {
    const item = at(rateRecord, 'requests', `${share.organizationId}#${share.minute}`);
    const expiresAt = ((share.minute + 2) * windowMs) / 1000;
    const { tries } = await increment(item, { add: { tries: counted }, setIfAbsent: { expiresAt } });
    share.total = Math.max(share.total, tries);
  } catch (error) {
    log.error('could not count the requests of an organization', error);
  }
}
