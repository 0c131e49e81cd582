import { endpoint } from '../../lib/api/endpoint.ts';
import { listMembers as contract } from '../../lib/contracts/members.ts';
import { invitationView, memberView } from '../../lib/organizations/members/member-view.ts';
import { readRoster } from '../../lib/organizations/members/read-roster.ts';

export const handler = endpoint(contract, {
  fetch: ({ params }) => readRoster(params.orgId),
  run: async ({ fetched: { members, invitations } }) => ({
    status: 200,
    body: { members: members.map(memberView), invitations: invitations.map(invitationView) },
  }),
});
