import { listOrganizations } from '#lib/admin/organizations.ts';
import { endpoint } from '#lib/api/endpoint.ts';
import { listOrganizations as contract } from '#lib/contracts/admin/organizations.ts';

export const handler = endpoint(contract, {
  run: async ({ query }) => ({ body: await listOrganizations(query) }),
});
