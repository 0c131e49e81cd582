import { endpoint } from '../../lib/api/endpoint.ts';
import { inviteMember as contract } from '../../lib/contracts/members.ts';
import { inviteMember, readBeforeInviting } from '../../lib/organizations/members/invite-member.ts';
import { invitationView } from '../../lib/organizations/members/member-view.ts';

export const handler = endpoint(contract, {
  fetch: ({ params }) => readBeforeInviting(params.orgId),
  run: async ({ access, source, body, fetched, log }) => {
    const { invitation, token } = await inviteMember(access, source, body, fetched, log);
    return { status: 201, body: { invitation: invitationView(invitation), token } };
  },
});
