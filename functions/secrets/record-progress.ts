import { endpoint } from '#lib/api/endpoint.ts';
import { recordProgress as contract } from '#lib/contracts/secrets/proposals.ts';
import { readProposal } from '#lib/secrets/proposals/read-proposal.ts';
import { recordProgress } from '#lib/secrets/proposals/record-progress.ts';

export const handler = endpoint(contract, {
  fetch: ({ params }) => readProposal(params, params.proposalId),
  run: async ({ context, params, body, fetched }) => ({
    body: { proposal: await recordProgress(context, params.proposalId, body.progress, fetched) },
  }),
});
