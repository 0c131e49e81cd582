import { addPasskey } from '#lib/accounts/factors/passkeys.ts';
import { endpoint } from '#lib/api/endpoint.ts';
import { addPasskey as contract } from '#lib/contracts/auth/passkeys.ts';

export const handler = endpoint(contract, {
  run: async ({ context, body }) => ({ body: await addPasskey(context, body) }),
});
