import { endpoint } from '#lib/api/endpoint.ts';
import { inviteMember as contract } from '#lib/contracts/members/invitations.ts';
import { inviteMember, readBeforeInviting } from '#lib/organizations/members/invite-member.ts';
import { invitationView } from '#lib/organizations/members/new-member.ts';

export const handler = endpoint(contract, {
  fetch: ({ params }) => readBeforeInviting(params.orgId),
  run: async ({ context, body, fetched }) => {
    const { invitation, token, mailed } = await inviteMember(context, body, fetched);
    return { body: { invitation: invitationView(invitation), token, mailed } };
  },
});
