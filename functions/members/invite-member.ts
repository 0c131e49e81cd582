import { endpoint } from '../../lib/http/endpoint.ts';
import { inviteMember as contract } from '../../lib/members/contracts.ts';
import { inviteMember, readBeforeInviting } from '../../lib/members/invite-member.ts';
import { invitationView } from '../../lib/members/member-view.ts';

export const handler = endpoint(contract, {
  fetch: ({ params }) => readBeforeInviting(params.orgId),
  run: async ({ access, source, body, fetched, log }) => {
    const { invitation, token } = await inviteMember(access, source, body, fetched, log);
    return { status: 201, body: { invitation: invitationView(invitation), token } };
  },
});
