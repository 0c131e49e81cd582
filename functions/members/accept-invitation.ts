import { endpoint } from '#lib/api/endpoint.ts';
import { acceptInvitation as contract } from '#lib/contracts/members/invitations.ts';
import { acceptInvitation, findInvitation } from '#lib/organizations/members/new-member.ts';

export const handler = endpoint(contract, {
  fetch: ({ params }) => findInvitation(params.token),
  run: async ({ context, params, fetched }) => ({ body: await acceptInvitation(context, params.token, fetched) }),
});
