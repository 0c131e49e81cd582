import { endpoint } from '#lib/api/endpoint.ts';
import { rejectProposal as contract } from '#lib/contracts/secrets/proposals.ts';
import { rejectProposal } from '#lib/secrets/proposals/end-proposal.ts';
import { readProposal } from '#lib/secrets/proposals/read-proposal.ts';

export const handler = endpoint(contract, {
  fetch: ({ params }) => readProposal(params, params.proposalId),
  run: async ({ context, params, body, fetched }) => ({
    body: { proposal: await rejectProposal(context, params.proposalId, body.message, fetched) },
  }),
});
