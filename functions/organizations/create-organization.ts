import { endpoint } from '../../lib/api/endpoint.ts';
import { createOrganization as contract } from '../../lib/contracts/organizations.ts';
import { createOrganization } from '../../lib/organizations/create-organization.ts';
import { organizationView } from '../../lib/organizations/organization-view.ts';

export const handler = endpoint(contract, {
  run: async ({ principal, source, body }) => {
    const organization = await createOrganization(principal, source, body);
    return { status: 201, body: { organization: organizationView(organization) } };
  },
});
