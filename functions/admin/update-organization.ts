import { findPointer } from '#lib/admin/inspect-organization.ts';
import { updateOrganization } from '#lib/admin/update-organization.ts';
import { endpoint } from '#lib/api/endpoint.ts';
import { updateOrganization as contract } from '#lib/contracts/admin/organizations.ts';

export const handler = endpoint(contract, {
  fetch: ({ params }) => findPointer(params.orgId),
  run: async ({ context, params, body, fetched }) => ({
    body: await updateOrganization(context, params.orgId, body, fetched),
  }),
});
