import { expiredSessionCookie } from '#lib/access/session-cookie.ts';
import { closeAccount } from '#lib/accounts/close-account.ts';
import { endpoint } from '#lib/api/endpoint.ts';
import { closeAccount as contract } from '#lib/contracts/auth/close-account.ts';

export const handler = endpoint(contract, {
  run: async ({ context, body }) => {
    await closeAccount(context, body);
    return { body: { success: true as const }, cookies: [expiredSessionCookie()] };
  },
});
