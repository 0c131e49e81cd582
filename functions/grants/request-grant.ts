import { endpoint } from '#lib/api/endpoint.ts';
import { requestGrant as contract } from '#lib/contracts/grants/grants.ts';
import { readBeforeRequesting, requestGrant } from '#lib/organizations/grants/request-grant.ts';

export const handler = endpoint(contract, {
  fetch: async ({ params }, userId) => (userId === undefined ? undefined : readBeforeRequesting(params.orgId, userId)),
  run: async ({ context, body, fetched }) => ({
    status: 201,
    body: { request: await requestGrant(context, body, fetched) },
  }),
});
