import { endpoint } from '#lib/api/endpoint.ts';
import { listRevisions as contract } from '#lib/contracts/secrets/history.ts';
import { beginRevisions, listRevisions } from '#lib/secrets/list-revisions.ts';

export const handler = endpoint(contract, {
  fetch: ({ params, query }) => beginRevisions(params, query),
  run: async ({ context, params, query, fetched }) => ({ body: await listRevisions(context, params, query, fetched) }),
});
