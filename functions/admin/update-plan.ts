import { updatePlan as contract } from '../../lib/admin/contracts.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { updatePlan } from '../../lib/plans/plan-configs.ts';

export const handler = endpoint(contract, {
  run: async ({ params, body, principal, log }) => ({
    status: 200,
    body: { plan: await updatePlan(principal, log, params.planName, body.limits) },
  }),
});
