import { renewRecoveryCodes } from '#lib/accounts/factors/change-factors.ts';
import { endpoint } from '#lib/api/endpoint.ts';
import { renewRecoveryCodes as contract } from '#lib/contracts/auth/totp.ts';

export const handler = endpoint(contract, {
  run: async ({ context }) => ({ body: { recoveryCodes: await renewRecoveryCodes(context) } }),
});
