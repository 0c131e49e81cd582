import { updatePlan } from '#lib/admin/update-plan.ts';
import { endpoint } from '#lib/api/endpoint.ts';
import { updatePlan as contract } from '#lib/contracts/admin/plans.ts';

export const handler = endpoint(contract, {
  run: async ({ context, params, body }) => ({
    body: { plan: await updatePlan(context, params.planName, body.limits) },
  }),
});
