import { endpoint } from '#lib/api/endpoint.ts';
import { getProposal as contract } from '#lib/contracts/secrets/proposals.ts';
import { beginGet, getProposal } from '#lib/secrets/proposals/list-proposals.ts';

export const handler = endpoint(contract, {
  fetch: ({ params }) => beginGet(params, params.proposalId),
  run: async ({ context, params, query, fetched }) => ({
    body: await getProposal(context, params.proposalId, query, fetched),
  }),
});
