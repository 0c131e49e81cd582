import * as z from 'zod';
import { contract, ok } from '../contract.ts';
import { integerQuery } from '../fields/query.ts';
import { Timestamp } from '../fields/text.ts';

function percentile(name: string, example: number) {
  const description = `${name} in milliseconds; null if there were no requests.`;
  return z.number().nullable().meta({ description, example });
}

/** Percentiles from a histogram: each is the upper bound of the bucket that the percentile falls into. */
export const Latency = z
  .object({
    p50: percentile('Median', 14),
    p95: percentile('95th percentile', 48),
    p99: percentile('99th percentile', 120),
  })
  .meta({ id: 'Latency', description: 'How long requests took.' });
export type Latency = z.infer<typeof Latency>;

export const RequestErrors = z
  .object({
    client: z.int().meta({ description: 'Responses with a status from 400 to 499.', example: 31 }),
    server: z.int().meta({ description: 'Responses with a status from 500 to 599.', example: 0 }),
  })
  .meta({ id: 'RequestErrors', description: 'The number of requests that failed.' });
export type RequestErrors = z.infer<typeof RequestErrors>;

export const summarizeMetrics = contract({
  operationId: 'summarize-metrics',
  route: 'GET /v1/admin/metrics/summary',
  summary: 'Get request metrics',
  description: 'Returns the last hours’ requests, errors and latencies, by route and hour. They appear within seconds.',
  access: { kind: 'admin' },
  query: z.strictObject({ hours: integerQuery(1, 168, 'How many hours to look back.').default(24) }),
  responses: ok({
    description: 'The summary.',
    body: z.object({
      hours: z.int().meta({ description: 'The number of hours covered.', example: 24 }),
      requests: z.int().meta({ description: 'The total number of requests.', example: 5210 }),
      errors: RequestErrors,
      latencyMs: Latency,
      routes: z
        .array(
          z.object({
            route: z.string().meta({ description: 'Its template.', example: 'GET /v1/secrets/:orgSlug/:project/:env' }),
            requests: z.int().meta({ description: 'Requests.', example: 4100 }),
            errors: RequestErrors,
            latencyMs: Latency,
          }),
        )
        .describe('Routes with requests, busiest first.'),
      series: z
        .array(
          z.object({
            hour: Timestamp.meta({ description: 'The start of the hour.', example: '2026-01-31T09:00:00.000Z' }),
            requests: z.int().meta({ description: 'Requests.', example: 217 }),
            errors: RequestErrors,
          }),
        )
        .describe('One entry per hour, oldest first, including hours without requests.'),
    }),
    example: {
      routes: [{ errors: { client: 12 }, latencyMs: { p50: 13, p95: 41, p99: 96 } }],
      series: [{ errors: { client: 2 } }],
    },
  }),
  uses: { table: { Query: ['METRICS'] } },
});
