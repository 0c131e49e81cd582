import { endpoint } from '../../lib/http/endpoint.ts';
import { succeeded } from '../../lib/http/success.ts';
import { deleteOrganization as contract } from '../../lib/organizations/contracts.ts';
import { deleteOrganization } from '../../lib/organizations/delete-organization.ts';

export const handler = endpoint(contract, {
  run: async ({ access, log }) => {
    await deleteOrganization(access, log);
    return { status: 200, body: succeeded };
  },
});
