import { getStatistics as contract } from '../../lib/admin/contracts.ts';
import { readStatistics } from '../../lib/admin/read-statistics.ts';
import { endpoint } from '../../lib/http/endpoint.ts';

export const handler = endpoint(contract, {
  run: async () => ({ status: 200, body: await readStatistics() }),
});
