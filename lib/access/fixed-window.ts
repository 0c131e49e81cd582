import { createHash } from 'node:crypto';
import { ApiError } from '../core/errors.ts';
import { absent, lessThan } from '../table/expressions.ts';
import { rateRecord } from '../table/records/rate.ts';
import { at, upsert, type Write } from '../table/store.ts';

/** A bound on what happens in each window of the clock; -1 is no bound. */
interface WindowLimit {
  name: string;
  limit: number;
  windowSeconds: number;
  /** What it is counted for, such as an address or an organization. Only its hash is stored. */
  subject: string;
}

/**
 * The write that counts one more in the current window. It belongs in the same transaction as what is counted. The
 * transaction fails with rate_limited if the bound is reached. Without a bound there is nothing to write.
 */
export function countInWindow({ name, limit, windowSeconds, subject }: WindowLimit): Write[] {
  if (limit < 0) return [];
  const now = Math.floor(Date.now() / 1000);
  const window = Math.floor(now / windowSeconds);
  const endsAt = (window + 1) * windowSeconds;
  const refused = () =>
    new ApiError('rate_limited', `Too many (at most ${limit}). Wait ${endsAt - now} seconds.`, {
      retryAfterSeconds: endsAt - now,
    });
  if (limit === 0) throw refused();
  const digest = createHash('sha256').update(subject).digest('base64url');
  return [
    upsert(
      at(rateRecord, name, `${digest}#${window}`),
      { add: { tries: 1 }, setIfAbsent: { expiresAt: endsAt } },
      { if: [{ pk: absent }, { tries: lessThan(limit) }], refused },
    ),
  ];
}
