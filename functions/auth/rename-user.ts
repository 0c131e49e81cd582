import { renameUser, userView } from '#lib/accounts/current-user.ts';
import { endpoint } from '#lib/api/endpoint.ts';
import { renameUser as contract } from '#lib/contracts/auth/account.ts';

export const handler = endpoint(contract, {
  run: async ({ context, body }) => ({ body: { user: userView(await renameUser(context, body.name)) } }),
});
