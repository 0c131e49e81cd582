import { endpoint } from '#lib/api/endpoint.ts';
import { applyProposal as contract } from '#lib/contracts/secrets/proposals.ts';
import { applyProposal, beginApplying } from '#lib/secrets/proposals/apply-proposal.ts';

export const handler = endpoint(contract, {
  fetch: ({ params }) => beginApplying(params, params.proposalId),
  run: async ({ context, params, fetched }) => ({
    body: await applyProposal(context, params.proposalId, fetched),
  }),
});
