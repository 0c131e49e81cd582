import { endpoint } from '#lib/api/endpoint.ts';
import { refuseRequest as contract } from '#lib/contracts/grants/grants.ts';
import { readBeforeAnswering, refuseRequest } from '#lib/organizations/grants/manage-grants.ts';

export const handler = endpoint(contract, {
  fetch: ({ params }) => readBeforeAnswering(params.orgId),
  run: async ({ context, params, fetched }) => {
    await refuseRequest(context, params.id, fetched);
    return { body: { success: true as const } };
  },
});
