import { confirmEmailChange } from '#lib/accounts/change-email.ts';
import { userView } from '#lib/accounts/current-user.ts';
import { endpoint } from '#lib/api/endpoint.ts';
import { confirmEmailChange as contract } from '#lib/contracts/auth/change-email.ts';

export const handler = endpoint(contract, {
  run: async ({ context, body }) => ({ body: { user: userView(await confirmEmailChange(context, body.token)) } }),
});
