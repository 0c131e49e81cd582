import type { Latency, summarizeMetrics } from '../contracts/admin/metrics.ts';
import type { AnswerOf } from '../contracts/contract.ts';
import { hourMs } from '../core/time.ts';
import { ranges } from '../table/keys.ts';
import { list } from '../table/read.ts';
import { type RouteHour, routeHourRecord } from '../table/records/platform.ts';
import { hourOf } from './count-requests.ts';
import { addHistogram, type Histogram, histogramOf, percentileMs } from './latency-buckets.ts';

type Summary = AnswerOf<typeof summarizeMetrics>;

/** The request metrics of the last `hours` hours, including the current one. */
export async function readSummary(hours: number, nowMs = Date.now()): Promise<Summary> {
  const hourStarts = hoursUntil(nowMs, hours);
  const [first = ''] = hourStarts;
  const days = new Set(hourStarts.map(hour => hour.slice(0, 10)));
  const pages = await Promise.all(
    Array.from(days, day => {
      const from = first.startsWith(day) ? first.slice(11, 13) : '00';
      // The log arrives with a delay anyway.
      return list(routeHourRecord, { ...ranges.metrics(day), between: [from, '24'], eventuallyConsistent: true });
    }),
  );
  return summarize(pages.flat(), hourStarts);
}

/** The starts of the last hours, oldest first. */
export function hoursUntil(nowMs: number, hours: number): string[] {
  return Array.from({ length: hours }, (_, index) => hourOf(nowMs - (hours - 1 - index) * hourMs));
}

/** Summarizes the records of the requested hours. Pure. */
export function summarize(records: readonly RouteHour[], hourStarts: readonly string[]): Summary {
  const all = emptySum();
  const byRoute = new Map<string, Sum>();
  const byHour = new Map(hourStarts.map(hour => [hour, emptySum()]));
  for (const record of records) {
    const inHour = byHour.get(record.hour);
    if (inHour === undefined) continue;
    const ofRoute = byRoute.get(record.route) ?? emptySum();
    byRoute.set(record.route, ofRoute);
    for (const sum of [all, ofRoute, inHour]) addTo(sum, record);
  }
  return {
    hours: hourStarts.length,
    requests: all.requests,
    errors: all.errors,
    latencyMs: latencyOf(all.histogram),
    routes: [...byRoute]
      .map(([route, { histogram, ...counts }]) => ({ route, ...counts, latencyMs: latencyOf(histogram) }))
      .sort((a, b) => b.requests - a.requests || (a.route < b.route ? -1 : 1)),
    series: [...byHour].map(([hour, { requests, errors }]) => ({ hour, requests, errors })),
  };
}

function emptySum() {
  return { requests: 0, errors: { client: 0, server: 0 }, histogram: new Map<number, number>() };
}

type Sum = ReturnType<typeof emptySum>;

function addTo(sum: Sum, record: RouteHour): void {
  sum.requests += record.requests;
  sum.errors.client += record.clientErrors;
  sum.errors.server += record.serverErrors;
  addHistogram(sum.histogram, histogramOf(record));
}

function latencyOf(histogram: Histogram): Latency {
  const latencyMs = (part: number) => percentileMs(histogram, part);
  return { p50: latencyMs(0.5), p95: latencyMs(0.95), p99: latencyMs(0.99) };
}
