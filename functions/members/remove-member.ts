import { endpoint } from '#lib/api/endpoint.ts';
import { removeMember as contract } from '#lib/contracts/members/members.ts';
import { readBeforeRemoving, removeMember } from '#lib/organizations/members/change-members.ts';

export const handler = endpoint(contract, {
  fetch: ({ params, query }) => readBeforeRemoving(params.orgId, query.endIdentities),
  run: async ({ context, params, query, fetched }) => {
    const left = await removeMember(context, { id: params.id, endIdentities: query.endIdentities }, fetched);
    return { body: { success: true as const, left } };
  },
});
