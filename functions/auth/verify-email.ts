import { userView } from '#lib/accounts/current-user.ts';
import { verifyEmail } from '#lib/accounts/mailed-link.ts';
import { endpoint } from '#lib/api/endpoint.ts';
import { verifyEmail as contract } from '#lib/contracts/auth/passwords.ts';

export const handler = endpoint(contract, {
  run: async ({ context, body }) => ({ body: { user: userView(await verifyEmail(context, body.token)) } }),
});
