import { endpoint } from '#lib/api/endpoint.ts';
import { listGrants as contract } from '#lib/contracts/grants/grants.ts';
import { listGrants } from '#lib/organizations/grants/list-grants.ts';

export const handler = endpoint(contract, {
  run: async ({ context }) => ({ body: await listGrants(context) }),
});
