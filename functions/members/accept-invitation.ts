import { endpoint } from '../../lib/http/endpoint.ts';
import { acceptInvitation, findInvitation } from '../../lib/members/accept-invitation.ts';
import { acceptInvitation as contract } from '../../lib/members/contracts.ts';
import { memberView } from '../../lib/members/member-view.ts';
import { organizationView } from '../../lib/organizations/organization-view.ts';

export const handler = endpoint(contract, {
  fetch: ({ params }) => findInvitation(params.token),
  run: async ({ principal, source, params, fetched }) => {
    const { organization, member } = await acceptInvitation(principal, source, params.token, fetched);
    return { status: 200, body: { organization: organizationView(organization), member: memberView(member) } };
  },
});
