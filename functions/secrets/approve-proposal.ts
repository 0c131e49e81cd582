import { endpoint } from '#lib/api/endpoint.ts';
import { approveProposal as contract } from '#lib/contracts/secrets/proposals.ts';
import { approveProposal, beginApplying } from '#lib/secrets/proposals/apply-proposal.ts';

export const handler = endpoint(contract, {
  fetch: ({ params }) => beginApplying(params, params.proposalId),
  run: async ({ context, params, body, fetched }) => ({
    body: await approveProposal(context, params.proposalId, body.digest, fetched),
  }),
});
