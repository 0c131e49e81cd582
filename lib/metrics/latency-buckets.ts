import type { RouteHour } from '../table/records/platform.ts';

/*
 * A latency histogram whose counts can simply be added: bucket n holds latencies above base^(n-1) and up to base^n
 * milliseconds. A percentile is reported as its bucket's upper bound, so it is never too low and at most 5 % too high.
 * (The logarithmic mapping of DDSketch, Masson et al., VLDB 2019, with upper bounds as representatives.)
 */
const base = 1.05;

/** API Gateway times out after 30 s; longer latencies share the last bucket. */
const longestMs = 30_000;
export const lastBucket = Math.ceil(Math.log(longestMs) / Math.log(base));

/** The bucket that a latency falls into; everything up to a millisecond is in bucket 0. */
export function bucketOf(latencyMs: number): number {
  if (!(latencyMs > 1)) return 0;
  const estimate = Math.min(lastBucket, Math.ceil(Math.log(latencyMs) / Math.log(base)));
  // The logarithm of an exact power may be slightly too high.
  return latencyMs <= base ** (estimate - 1) ? estimate - 1 : estimate;
}

/** The upper bound of a bucket in milliseconds, rounded to a tenth. */
export function upperBoundMs(bucket: number): number {
  return Math.ceil(base ** bucket * 10) / 10;
}

/** Counts by bucket number. */
export type Histogram = ReadonlyMap<number, number>;

export function bucketAttribute(bucket: number) {
  return `b${bucket}` as const;
}

export function histogramOf(record: RouteHour): Histogram {
  return new Map(
    Object.entries(record).flatMap(([name, count]) => {
      const bucket = /^b(\d+)$/.exec(name)?.[1];
      return bucket === undefined ? [] : [[Number(bucket), Number(count)]];
    }),
  );
}

export function addHistogram(sum: Map<number, number>, added: Histogram): void {
  for (const [bucket, count] of added) sum.set(bucket, (sum.get(bucket) ?? 0) + count);
}

/** The latency that the given fraction (0 to 1) of the requests did not exceed; null without requests. */
export function percentileMs(histogram: Histogram, part: number): number | null {
  const buckets = [...histogram].sort(([a], [b]) => a - b);
  const total = buckets.reduce((sum, [, count]) => sum + count, 0);
  // Nearest-rank definition: the smallest value with at least this many values up to it.
  const rank = Math.max(1, Math.ceil(part * total));
  let counted = 0;
  for (const [bucket, count] of buckets) {
    counted += count;
    if (counted >= rank) return upperBoundMs(bucket);
  }
  return null;
}
