import { findPointer, updateOrganization } from '#lib/admin/organizations.ts';
import { endpoint } from '#lib/api/endpoint.ts';
import { updateOrganization as contract } from '#lib/contracts/admin/organizations.ts';

export const handler = endpoint(contract, {
  fetch: ({ params }) => findPointer(params.orgId),
  run: async ({ context, params, body, fetched }) => ({
    body: await updateOrganization(context, params.orgId, body, fetched),
  }),
});
