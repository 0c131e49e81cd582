import { endpoint } from '#lib/api/endpoint.ts';
import { listMembers as contract } from '#lib/contracts/members/members.ts';
import { viewInvitations, viewMembers } from '#lib/organizations/members/project-roles.ts';
import { readRoster } from '#lib/organizations/members/read-roster.ts';

export const handler = endpoint(contract, {
  fetch: ({ params }) => readRoster(params.orgId),
  run: async ({ context: { organization }, fetched }) => {
    const [members, invitations] = await Promise.all([
      viewMembers(organization.slug, fetched.members),
      viewInvitations(organization.slug, fetched.invitations),
    ]);
    return { body: { members, invitations } };
  },
});
