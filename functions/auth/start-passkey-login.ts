import { startPasskeyLogin } from '#lib/accounts/complete-login.ts';
import { endpoint } from '#lib/api/endpoint.ts';
import { startPasskeyLogin as contract } from '#lib/contracts/auth/sign-in.ts';

export const handler = endpoint(contract, {
  run: async ({ context }) => ({ body: await startPasskeyLogin(context) }),
});
