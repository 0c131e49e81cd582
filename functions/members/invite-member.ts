import { endpoint } from '#lib/api/endpoint.ts';
import { inviteMember as contract } from '#lib/contracts/members/invitations.ts';
import { inviteMember, readBeforeInviting } from '#lib/organizations/members/invite-member.ts';
import { viewInvitations } from '#lib/organizations/members/project-roles.ts';

export const handler = endpoint(contract, {
  fetch: ({ params }) => readBeforeInviting(params.orgId),
  run: async ({ context, body, fetched }) => {
    const { invitation, token, mailed } = await inviteMember(context, body, fetched);
    const [view] = await viewInvitations(context.organization.slug, [invitation]);
    return { body: { invitation: view as NonNullable<typeof view>, token, mailed } };
  },
});
