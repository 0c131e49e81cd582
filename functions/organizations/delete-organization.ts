import { endpoint } from '../../lib/api/endpoint.ts';
import { succeeded } from '../../lib/contracts/fields/success.ts';
import { deleteOrganization as contract } from '../../lib/contracts/organizations/delete-organization.ts';
import { deleteOrganization } from '../../lib/organizations/delete-organization.ts';

export const handler = endpoint(contract, {
  run: async ({ context }) => {
    await deleteOrganization(context);
    return { status: 200, body: succeeded };
  },
});
