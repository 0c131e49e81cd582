import { logOut as contract } from '../../lib/accounts/contracts.ts';
import { logOut } from '../../lib/accounts/log-out.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { expiredSessionCookie } from '../../lib/http/session-cookie.ts';
import { succeeded } from '../../lib/http/success.ts';

export const handler = endpoint(contract, {
  run: async ({ principal, log }) => {
    await logOut(principal, log);
    return { status: 200, body: succeeded, cookies: [expiredSessionCookie()] };
  },
});
