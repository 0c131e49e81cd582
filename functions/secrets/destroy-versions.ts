import { endpoint } from '#lib/api/endpoint.ts';
import { destroyVersions as contract } from '#lib/contracts/secrets/history.ts';
import { destroyVersions } from '#lib/secrets/destroy-versions.ts';
import { readEnvironment } from '#lib/secrets/engine/read-environment.ts';

export const handler = endpoint(contract, {
  fetch: ({ params }) => readEnvironment(params),
  run: async ({ context, params, body, fetched }) => ({ body: await destroyVersions(context, params, body, fetched) }),
});
