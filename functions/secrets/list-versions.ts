import { endpoint } from '#lib/api/endpoint.ts';
import { listVersions as contract } from '#lib/contracts/secrets/history.ts';
import { beginHistory, listVersions } from '#lib/secrets/list-versions.ts';

export const handler = endpoint(contract, {
  fetch: ({ params }) => beginHistory(params),
  run: async ({ context, params, query, fetched }) => ({ body: await listVersions(context, params, query, fetched) }),
});
