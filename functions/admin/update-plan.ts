import { endpoint } from '../../lib/api/endpoint.ts';
import { updatePlan as contract } from '../../lib/contracts/admin.ts';
import { updatePlan } from '../../lib/plans/plan-configs.ts';

export const handler = endpoint(contract, {
  run: async ({ params, body, principal, log }) => ({
    status: 200,
    body: { plan: await updatePlan(principal.userId, log, params.planName, body.limits) },
  }),
});
