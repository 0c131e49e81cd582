import { endpoint } from '../../lib/http/endpoint.ts';
import { listMembers as contract } from '../../lib/members/contracts.ts';
import { invitationView, memberView } from '../../lib/members/member-view.ts';
import { readRoster } from '../../lib/members/read-roster.ts';

export const handler = endpoint(contract, {
  fetch: ({ params }) => readRoster(params.orgId),
  run: async ({ fetched: { members, invitations } }) => ({
    status: 200,
    body: { members: members.map(memberView), invitations: invitations.map(invitationView) },
  }),
});
