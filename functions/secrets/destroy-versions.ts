import { endpoint } from '../../lib/api/endpoint.ts';
import { destroyVersions as contract } from '../../lib/contracts/secrets/destroy-versions.ts';
import { beginDestruction, destroyVersions } from '../../lib/secrets/destroy-versions.ts';

export const handler = endpoint(contract, {
  fetch: ({ params }) => beginDestruction(params),
  run: async ({ context, params, body, fetched }) => ({ body: await destroyVersions(context, params, body, fetched) }),
});
