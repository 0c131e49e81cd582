import { endpoint } from '#lib/api/endpoint.ts';
import { compareEnvironments as contract } from '#lib/contracts/secrets/promotion.ts';
import { beginComparison, compareEnvironments } from '#lib/secrets/compare-environments.ts';

export const handler = endpoint(contract, {
  fetch: ({ params, query }) => beginComparison(params, query.with),
  run: async ({ context, query, fetched }) => ({ body: await compareEnvironments(context, query, fetched) }),
});
