import { endpoint } from '#lib/api/endpoint.ts';
import { listProposals as contract } from '#lib/contracts/secrets/proposals.ts';
import { beginList, listProposals } from '#lib/secrets/proposals/list-proposals.ts';

export const handler = endpoint(contract, {
  fetch: ({ params, query }) => beginList(params, query),
  run: async ({ context, query, fetched }) => ({ body: await listProposals(context, query, fetched) }),
});
