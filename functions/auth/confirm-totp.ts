import { confirmTotp } from '#lib/accounts/factors/totp.ts';
import { endpoint } from '#lib/api/endpoint.ts';
import { confirmTotp as contract } from '#lib/contracts/auth/totp.ts';

export const handler = endpoint(contract, {
  run: async ({ context, body }) => ({ body: { recoveryCodes: await confirmTotp(context, body.code) } }),
});
