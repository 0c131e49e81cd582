import { listPlans as contract } from '../../lib/admin/contracts.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { listPlans } from '../../lib/plans/plan-configs.ts';

export const handler = endpoint(contract, {
  run: async () => ({ status: 200, body: { plans: await listPlans() } }),
});
