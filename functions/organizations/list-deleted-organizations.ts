import { endpoint } from '#lib/api/endpoint.ts';
import { listDeletedOrganizations as contract } from '#lib/contracts/organizations/deleted.ts';
import { listDeletedOrganizations } from '#lib/organizations/deleted-organizations.ts';

export const handler = endpoint(contract, {
  run: async ({ context }) => ({ body: { deleted: await listDeletedOrganizations(context) } }),
});
