import { endpoint } from '#lib/api/endpoint.ts';
import { rebaseProposal as contract } from '#lib/contracts/secrets/proposals.ts';
import { beginRebase, rebaseProposal } from '#lib/secrets/proposals/rebase-proposal.ts';

export const handler = endpoint(contract, {
  fetch: ({ params }) => beginRebase(params, params.proposalId),
  run: async ({ context, params, fetched }) => ({
    body: await rebaseProposal(context, params.proposalId, fetched),
  }),
});
