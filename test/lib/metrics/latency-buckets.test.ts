import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addHistogram, bucketOf, lastBucket, percentileMs, upperBoundMs } from '#lib/metrics/latency-buckets.ts';

const latency = fc.double({ min: 0, max: 30_000, noNaN: true });

function histogramOf(latencies: readonly number[]): Map<number, number> {
  const histogram = new Map<number, number>();
  for (const one of latencies) addHistogram(histogram, new Map([[bucketOf(one), 1]]));
  return histogram;
}

describe('bucketOf', () => {
  it('puts a latency into a bucket with an upper bound at most 5 % above it', () => {
    fc.assert(
      fc.property(latency, ms => {
        const bound = upperBoundMs(bucketOf(ms));
        expect(bound).toBeGreaterThanOrEqual(ms);
        // Bounds are rounded up to a tenth of a millisecond; below one there is one bucket.
        expect(bound).toBeLessThanOrEqual(Math.max(1, ms) * 1.05 + 0.1);
      }),
    );
  });

  it('never decreases as latencies grow', () => {
    fc.assert(
      fc.property(latency, latency, (a, b) => {
        expect(bucketOf(Math.min(a, b))).toBeLessThanOrEqual(bucketOf(Math.max(a, b)));
      }),
    );
  });

  it.each([Number.NaN, -1, 0, 1])('puts %d into the first bucket', ms => {
    expect(bucketOf(ms)).toBe(0);
  });

  it.each([30_001, 1e9, Number.POSITIVE_INFINITY])('puts %d into the last bucket', ms => {
    expect(bucketOf(ms)).toBe(lastBucket);
  });
});

describe('percentileMs', () => {
  it('is null without requests', () => {
    expect(percentileMs(new Map(), 0.5)).toBeNull();
  });

  it('is the nearest-rank percentile, at most 5 % above', () => {
    fc.assert(
      fc.property(
        fc.array(latency, { minLength: 1, maxLength: 200 }),
        fc.constantFrom(0.5, 0.95, 0.99),
        (latencies, part) => {
          const sorted = latencies.toSorted((a, b) => a - b);
          const exact = sorted[Math.ceil(part * sorted.length) - 1] as number;
          const estimate = percentileMs(histogramOf(latencies), part) as number;
          expect(estimate).toBeGreaterThanOrEqual(exact);
          expect(estimate).toBeLessThanOrEqual(Math.max(1, exact) * 1.05 + 0.1);
        },
      ),
    );
  });

  it('gives the same result for merged histograms as for one of all requests', () => {
    fc.assert(
      fc.property(fc.array(latency, { minLength: 1 }), fc.array(latency), (first, second) => {
        const merged = histogramOf(first);
        addHistogram(merged, histogramOf(second));
        expect(percentileMs(merged, 0.95)).toBe(percentileMs(histogramOf([...first, ...second]), 0.95));
      }),
    );
  });
});
