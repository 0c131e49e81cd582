import type { z } from 'zod';
import type { Latency, summarizeMetrics } from '../contracts/admin/metrics.ts';
import { hourMs } from '../core/time.ts';
import { ranges } from '../table/keys.ts';
import { list } from '../table/read.ts';
import { type RouteHour, routeHourRecord } from '../table/records/platform.ts';
import { hourOf } from './count-requests.ts';
import { addHistogram, type Histogram, histogramOf, percentileMs } from './latency-buckets.ts';

type Summary = z.output<(typeof summarizeMetrics)['responses'][200]['body']>;

/** The request metrics of the last `hours` hours, including the current one. */
export async function readSummary(hours: number, nowMs = Date.now()): Promise<Summary> {
  const hourStarts = hoursUntil(nowMs, hours);
  const [first = ''] = hourStarts;
  const days = [...new Set(hourStarts.map(hour => hour.slice(0, 10)))];
  const pages = await Promise.all(
    days.map(day => {
      const from = first.startsWith(day) ? first.slice(11, 13) : '00';
      return list(routeHourRecord, {
        pk: ranges.metrics(day).pk,
        between: [from, '24'],
        // The most recent seconds may be missing, because the log arrives with a delay.
        eventuallyConsistent: true,
      });
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
      .map(([route, { requests, errors, histogram }]) => ({
        route,
        requests,
        errors,
        latencyMs: latencyOf(histogram),
      }))
      .sort((a, b) => b.requests - a.requests || (a.route < b.route ? -1 : 1)),
    series: [...byHour].map(([hour, { requests, errors }]) => ({ hour, requests, errors })),
  };
}

interface Sum {
  requests: number;
  errors: { client: number; server: number };
  histogram: Map<number, number>;
}

function emptySum(): Sum {
  return { requests: 0, errors: { client: 0, server: 0 }, histogram: new Map() };
}

function addTo(sum: Sum, record: RouteHour): void {
  sum.requests += record.requests;
  sum.errors.client += record.clientErrors;
  sum.errors.server += record.serverErrors;
  addHistogram(sum.histogram, histogramOf(record));
}

function latencyOf(histogram: Histogram): Latency {
  return {
    p50: percentileMs(histogram, 0.5),
    p95: percentileMs(histogram, 0.95),
    p99: percentileMs(histogram, 0.99),
  };
}
