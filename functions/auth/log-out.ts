import { expiredSessionCookie } from '#lib/access/session-cookie.ts';
import { logOut } from '#lib/accounts/sessions.ts';
import { endpoint } from '#lib/api/endpoint.ts';
import { logOut as contract } from '#lib/contracts/auth/sign-in.ts';

export const handler = endpoint(contract, {
  run: async ({ context }) => {
    await logOut(context);
    return { body: { success: true as const }, cookies: [expiredSessionCookie()] };
  },
});
