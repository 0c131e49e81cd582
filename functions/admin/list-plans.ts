import { endpoint } from '#lib/api/endpoint.ts';
import { listPlans as contract } from '#lib/contracts/admin/list-plans.ts';
import { listPlans } from '#lib/plans/plan-configs.ts';

export const handler = endpoint(contract, {
  run: async () => ({ body: { plans: await listPlans() } }),
});
