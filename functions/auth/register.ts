import { userView } from '../../lib/accounts/account-view.ts';
import { register } from '../../lib/accounts/register.ts';
import { endpoint } from '../../lib/api/endpoint.ts';
import { register as contract } from '../../lib/contracts/auth.ts';
import { organizationView } from '../../lib/organizations/organization-view.ts';

export const handler = endpoint(contract, {
  run: async ({ body, source, log }) => {
    const { user, organization, cookie } = await register(body, source, log);
    return {
      status: 201,
      body: { user: userView(user), organization: organizationView(organization) },
      cookies: [cookie],
    };
  },
});
