import { readStatistics } from '#lib/admin/read-statistics.ts';
import { endpoint } from '#lib/api/endpoint.ts';
import { getStatistics as contract } from '#lib/contracts/admin/organizations.ts';

export const handler = endpoint(contract, {
  run: async () => ({ body: await readStatistics() }),
});
