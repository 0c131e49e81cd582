import { findPointer, inspectOrganization } from '#lib/admin/organizations.ts';
import { endpoint } from '#lib/api/endpoint.ts';
import { inspectOrganization as contract } from '#lib/contracts/admin/organizations.ts';

export const handler = endpoint(contract, {
  fetch: ({ params }) => findPointer(params.orgId),
  run: async ({ params, fetched }) => ({ body: await inspectOrganization(params.orgId, fetched) }),
});
