import { endpoint } from '../../lib/api/endpoint.ts';
import { acceptInvitation as contract } from '../../lib/contracts/members.ts';
import { acceptInvitation, findInvitation } from '../../lib/organizations/members/accept-invitation.ts';
import { memberView } from '../../lib/organizations/members/member-view.ts';
import { organizationView } from '../../lib/organizations/organization-view.ts';

export const handler = endpoint(contract, {
  fetch: ({ params }) => findInvitation(params.token),
  run: async ({ principal, source, params, fetched }) => {
    const { organization, member } = await acceptInvitation(principal, source, params.token, fetched);
    return { status: 200, body: { organization: organizationView(organization), member: memberView(member) } };
  },
});
