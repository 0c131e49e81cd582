import { expiredSessionCookie } from '../../lib/access/session-cookie.ts';
import { logOut } from '../../lib/accounts/log-out.ts';
import { endpoint } from '../../lib/api/endpoint.ts';
import { logOut as contract } from '../../lib/contracts/auth/log-out.ts';
import { succeeded } from '../../lib/contracts/fields/success.ts';

export const handler = endpoint(contract, {
  run: async ({ context }) => {
    await logOut(context);
    return { status: 200, body: succeeded, cookies: [expiredSessionCookie()] };
  },
});
