import * as z from 'zod';

/** Percentiles from a histogram: each is the upper bound of the bucket that the percentile falls into. */
export const Latency = z
  .object({
    p50: z
      .number()
      .nullable()
      .meta({ description: 'Median in milliseconds; null if there were no requests.', example: 14 }),
    p95: z
      .number()
      .nullable()
      .meta({ description: '95th percentile in milliseconds; null if there were no requests.', example: 48 }),
    p99: z
      .number()
      .nullable()
      .meta({ description: '99th percentile in milliseconds; null if there were no requests.', example: 120 }),
  })
  .meta({ id: 'Latency', description: 'How long requests took.' });
export type Latency = z.infer<typeof Latency>;
