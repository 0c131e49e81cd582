import { endpoint } from '#lib/api/endpoint.ts';
import { getProposal as contract } from '#lib/contracts/secrets/proposals.ts';
import { getProposal } from '#lib/secrets/proposals/list-proposals.ts';
import { readProposal } from '#lib/secrets/proposals/read-proposal.ts';

export const handler = endpoint(contract, {
  fetch: ({ params }) => readProposal(params, params.proposalId),
  run: async ({ context, params, query, fetched }) => ({
    body: await getProposal(context, params.proposalId, query, fetched),
  }),
});
