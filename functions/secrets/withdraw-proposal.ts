import { endpoint } from '#lib/api/endpoint.ts';
import { withdrawProposal as contract } from '#lib/contracts/secrets/proposals.ts';
import { withdrawProposal } from '#lib/secrets/proposals/end-proposal.ts';
import { readProposal } from '#lib/secrets/proposals/read-proposal.ts';

export const handler = endpoint(contract, {
  fetch: ({ params }) => readProposal(params, params.proposalId),
  run: async ({ context, params, fetched }) => ({
    body: { proposal: await withdrawProposal(context, params.proposalId, fetched) },
  }),
});
