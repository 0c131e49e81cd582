import { hourMs } from '../core/time.ts';
import type { RouteHour } from '../table/records/platform.ts';
import type { LoggedRequest } from './access-log-record.ts';
import { bucketAttribute, bucketOf } from './latency-buckets.ts';

/** What a batch adds to one route's hour. */
export interface Tally extends Pick<RouteHour, 'route' | 'hour'> {
  counts: Omit<RouteHour, 'route' | 'hour' | 'expiresAt'>;
}

/** The start of the hour that contains a time (epoch milliseconds), ISO 8601. */
export function hourOf(timeMs: number): string {
  return new Date(Math.floor(timeMs / hourMs) * hourMs).toISOString();
}

/** Requests by route and hour, in a deterministic order. Pure. */
export function tallyRequests(requests: readonly LoggedRequest[]): Tally[] {
  const tallies = new Map<string, Tally>();
  for (const { route, receivedAtMs, status, latencyMs } of requests) {
    const hour = hourOf(receivedAtMs);
    const name = `${hour} ${route}`;
    const tally = tallies.get(name) ?? { route, hour, counts: { requests: 0, clientErrors: 0, serverErrors: 0 } };
    tallies.set(name, tally);
    const { counts } = tally;
    counts.requests += 1;
    if (status >= 500) counts.serverErrors += 1;
    else if (status >= 400) counts.clientErrors += 1;
    if (latencyMs !== undefined) {
      const bucket = bucketAttribute(bucketOf(latencyMs));
      counts[bucket] = (counts[bucket] ?? 0) + 1;
    }
  }
  return [...tallies].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, tally]) => tally);
}
