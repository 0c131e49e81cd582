import { summarizeMetrics as contract } from '../../lib/admin/contracts.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { readSummary } from '../../lib/metrics/summarize.ts';

export const handler = endpoint(contract, {
  run: async ({ query }) => ({ status: 200, body: await readSummary(query.hours) }),
});
