import { startTotp } from '#lib/accounts/factors/totp.ts';
import { endpoint } from '#lib/api/endpoint.ts';
import { startTotp as contract } from '#lib/contracts/auth/totp.ts';

export const handler = endpoint(contract, {
  run: async ({ context }) => ({ body: await startTotp(context) }),
});
