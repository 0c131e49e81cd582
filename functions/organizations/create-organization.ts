import { endpoint } from '#lib/api/endpoint.ts';
import { createOrganization as contract } from '#lib/contracts/organizations/organizations.ts';
import { createOrganization } from '#lib/organizations/new-organization.ts';

export const handler = endpoint(contract, {
  run: async ({ context, body }) => ({ body: { organization: await createOrganization(context, body) } }),
});
