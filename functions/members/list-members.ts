import { endpoint } from '#lib/api/endpoint.ts';
import { listMembers as contract } from '#lib/contracts/members/members.ts';
import { invitationView } from '#lib/organizations/members/new-member.ts';
import { readRoster } from '#lib/organizations/members/read-roster.ts';

export const handler = endpoint(contract, {
  fetch: ({ params }) => readRoster(params.orgId),
  run: async ({ fetched: { members, invitations } }) => ({
    body: { members, invitations: invitations.map(invitationView) },
  }),
});
