import { ApiError } from '../core/errors.ts';
import type { Log } from '../core/logger.ts';
import type { OrganizationRecord } from '../table/records/organization.ts';
import { increment } from '../table/write.ts';
import { requestsOfOrganization } from './rate-limits.ts';

/*
 * Each organization has a share of requests per minute, which only its own callers use up. Each process counts in
 * memory and, in steps of a thousandth of the share, adds its count to a shared counter, which returns the total of all
 * processes. This happens in parallel with the first round trip of a later request, so no request waits for it. With 20
 * processes, an organization can exceed its share by 2 %.
 */
const stepsPerShare = 1000;
const windowMs = 60_000;

interface Share {
  organizationId: string;
  minute: number;
  /** The total of all processes, as of the last response. */
  total: number;
  /** Requests counted in this process since then. */
  pending: number;
}

/** For the current clock minute, by the organization's id and by its slug, because paths contain either. */
const shares = new Map<string, Share>();
/** Counters with a full step to add to the shared count. */
const due = new Set<Share>();
let minuteOfShares = 0;

function currentMinute(): number {
  const minute = Math.floor(Date.now() / windowMs);
  if (minute !== minuteOfShares) {
    shares.clear();
    due.clear();
    minuteOfShares = minute;
  }
  return minute;
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
export function takeShare({ id, slug }: Pick<OrganizationRecord, 'id' | 'slug'>): void {
  const minute = currentMinute();
  const share = shares.get(id) ?? { organizationId: id, minute, total: 0, pending: 0 };
  shares.set(id, share).set(slug, share);
  const { bound } = counterOf(share);
  if (isUsedUp(share, bound)) {
    const retryAfterSeconds = Math.ceil(((minute + 1) * windowMs - Date.now()) / 1000);
    throw new ApiError(
      'rate_limited',
      `The organization has used up its ${bound} requests for this minute. Wait ${retryAfterSeconds} seconds.`,
      { retryAfterSeconds },
    );
  }
  share.pending += 1;
  if (bound >= 0 && share.pending >= Math.max(1, Math.floor(bound / stepsPerShare))) due.add(share);
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
