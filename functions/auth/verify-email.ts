import { userView } from '../../lib/accounts/account-view.ts';
import { verifyEmail } from '../../lib/accounts/verify-email.ts';
import { endpoint } from '../../lib/api/endpoint.ts';
import { verifyEmail as contract } from '../../lib/contracts/auth.ts';

export const handler = endpoint(contract, {
  run: async ({ body, log }) => ({ status: 200, body: { user: userView(await verifyEmail(body.token, log)) } }),
});
