import type { RouteHour } from '../table/records/request-metrics.ts';
import type { Histogram } from './latency-buckets.ts';

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
