import { endpoint } from '#lib/api/endpoint.ts';
import { renameOrganization as contract } from '#lib/contracts/organizations/organizations.ts';
import { renameOrganization } from '#lib/organizations/change-organization.ts';

export const handler = endpoint(contract, {
  run: async ({ context, body }) => ({ body: { organization: await renameOrganization(context, body) } }),
});
