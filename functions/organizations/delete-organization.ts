import { endpoint } from '#lib/api/endpoint.ts';
import { deleteOrganization as contract } from '#lib/contracts/organizations/organizations.ts';
import { deleteOrganization } from '#lib/organizations/change-organization.ts';

export const handler = endpoint(contract, {
  run: ({ context, query }) => deleteOrganization(context, query.keepDays),
});
