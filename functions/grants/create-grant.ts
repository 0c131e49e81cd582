import { endpoint } from '#lib/api/endpoint.ts';
import { createGrant as contract } from '#lib/contracts/grants/grants.ts';
import { giveGrant, readBeforeGranting } from '#lib/organizations/grants/manage-grants.ts';

export const handler = endpoint(contract, {
  fetch: ({ params }) => readBeforeGranting(params.orgId),
  run: async ({ context, params, body, fetched }) => ({
    status: 201,
    body: { grant: await giveGrant(context, { ...body, memberId: params.id }, fetched) },
  }),
});
