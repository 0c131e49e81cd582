import { endpoint } from '../../lib/api/endpoint.ts';
import { updatePlan as contract } from '../../lib/contracts/admin.ts';
import { updatePlan } from '../../lib/plans/plan-configs.ts';

export const handler = endpoint(contract, {
  run: async ({ context: { principal, log }, params, body }) => ({
    status: 200,
    body: { plan: await updatePlan(log, principal.userId, params.planName, body.limits) },
  }),
});
