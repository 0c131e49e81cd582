import { hourMs } from '../core/time.ts';
import type { SeenRequest } from './access-log-record.ts';
import { bucketOf } from './latency-buckets.ts';

/** What a batch adds to one route's hour. */
export interface Tally {
  route: string;
  /** Start of the hour, ISO 8601. */
  hour: string;
  requests: number;
  clientErrors: number;
  serverErrors: number;
  buckets: Map<number, number>;
}

/** The start of the hour that contains a time (epoch milliseconds), ISO 8601. */
export function hourOf(timeMs: number): string {
  return new Date(Math.floor(timeMs / hourMs) * hourMs).toISOString();
}

/** Requests by route and hour, in a deterministic order. Pure. */
export function tallyRequests(requests: readonly SeenRequest[]): Tally[] {
  const tallies = new Map<string, Tally>();
  for (const { route, receivedAtMs, status, latencyMs } of requests) {
    const hour = hourOf(receivedAtMs);
    const name = `${hour} ${route}`;
    const tally = tallies.get(name) ?? {
      route,
      hour,
      requests: 0,
      clientErrors: 0,
      serverErrors: 0,
      buckets: new Map<number, number>(),
    };
    tallies.set(name, tally);
    tally.requests += 1;
    if (status >= 500) tally.serverErrors += 1;
    else if (status >= 400) tally.clientErrors += 1;
    if (latencyMs !== undefined) {
      const bucket = bucketOf(latencyMs);
      tally.buckets.set(bucket, (tally.buckets.get(bucket) ?? 0) + 1);
    }
  }
  return [...tallies].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, tally]) => tally);
}
