import { endpoint } from '#lib/api/endpoint.ts';
import { grantRequest as contract } from '#lib/contracts/grants/grants.ts';
import { grantRequest, readBeforeAnswering } from '#lib/organizations/grants/manage-grants.ts';

export const handler = endpoint(contract, {
  fetch: ({ params }) => readBeforeAnswering(params.orgId),
  run: async ({ context, params, fetched }) => ({
    status: 201,
    body: { grant: await grantRequest(context, params.id, fetched) },
  }),
});
