import { startPasskey } from '#lib/accounts/factors/passkeys.ts';
import { endpoint } from '#lib/api/endpoint.ts';
import { startPasskey as contract } from '#lib/contracts/auth/passkeys.ts';

export const handler = endpoint(contract, {
  run: async ({ context }) => ({ body: await startPasskey(context) }),
});
