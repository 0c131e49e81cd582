import { endpoint } from '#lib/api/endpoint.ts';
import { listPlans as contract } from '#lib/contracts/admin/plans.ts';
import { listPlans } from '#lib/plans/effective-limits.ts';

export const handler = endpoint(contract, {
  run: async () => ({ body: { plans: await listPlans() } }),
});
