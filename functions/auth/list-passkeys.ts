import { listPasskeys } from '#lib/accounts/factors/passkeys.ts';
import { endpoint } from '#lib/api/endpoint.ts';
import { listPasskeys as contract } from '#lib/contracts/auth/passkeys.ts';

export const handler = endpoint(contract, {
  run: async ({ context }) => ({ body: { passkeys: await listPasskeys(context) } }),
});
