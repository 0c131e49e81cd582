import { endpoint } from '#lib/api/endpoint.ts';
import { summarizeMetrics as contract } from '#lib/contracts/admin/metrics.ts';
import { readSummary } from '#lib/metrics/summarize.ts';

export const handler = endpoint(contract, {
  run: async ({ query }) => ({ body: await readSummary(query.hours) }),
});
