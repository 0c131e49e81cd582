import { endpoint } from '#lib/api/endpoint.ts';
import { restoreOrganization as contract } from '#lib/contracts/organizations/deleted.ts';
import { restoreOrganization } from '#lib/organizations/deleted-organizations.ts';

export const handler = endpoint(contract, {
  run: ({ context, params }) => restoreOrganization(context, params.orgId),
});
