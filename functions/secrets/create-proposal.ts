import { endpoint } from '#lib/api/endpoint.ts';
import { createProposal as contract } from '#lib/contracts/secrets/proposals.ts';
import { beginProposal, createProposal } from '#lib/secrets/proposals/propose.ts';

export const handler = endpoint(contract, {
  fetch: ({ params, body }) => beginProposal(params, body),
  run: async ({ context, params, headers, body, fetched }) => ({
    body: await createProposal(context, params, { ...body, ifMatch: headers['if-match'] }, fetched),
  }),
});
