import { endpoint } from '#lib/api/endpoint.ts';
import { diffRevisions as contract } from '#lib/contracts/secrets/history.ts';
import { beginDiff, diffRevisions } from '#lib/secrets/diff-revisions.ts';

export const handler = endpoint(contract, {
  fetch: ({ params, query }) => beginDiff(params, query),
  run: async ({ context, query, fetched }) => ({ body: await diffRevisions(context, query, fetched) }),
});
