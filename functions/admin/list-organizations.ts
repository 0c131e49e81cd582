import { listOrganizations as contract } from '../../lib/admin/contracts.ts';
import { listOrganizations } from '../../lib/admin/list-organizations.ts';
import { endpoint } from '../../lib/http/endpoint.ts';

export const handler = endpoint(contract, {
  run: async ({ query }) => ({ status: 200, body: await listOrganizations(query) }),
});
