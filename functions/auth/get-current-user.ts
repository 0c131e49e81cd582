import { readCurrentUser } from '#lib/accounts/current-user.ts';
import { endpoint } from '#lib/api/endpoint.ts';
import { getCurrentUser as contract } from '#lib/contracts/auth/account.ts';

export const handler = endpoint(contract, {
  run: async ({ context }) => ({ body: await readCurrentUser(context) }),
});
