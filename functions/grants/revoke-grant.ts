import { endpoint } from '#lib/api/endpoint.ts';
import { revokeGrant as contract } from '#lib/contracts/grants/grants.ts';
import { revokeGrant } from '#lib/organizations/grants/manage-grants.ts';
import { readRoster } from '#lib/organizations/members/read-roster.ts';

export const handler = endpoint(contract, {
  fetch: ({ params }) => readRoster(params.orgId),
  run: async ({ context, params, fetched }) => {
    await revokeGrant(context, { memberId: params.id, grantId: params.grantId }, fetched);
    return { body: { success: true as const } };
  },
});
