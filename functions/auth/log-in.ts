import { userView } from '#lib/accounts/current-user.ts';
import { logIn } from '#lib/accounts/log-in.ts';
import { endpoint } from '#lib/api/endpoint.ts';
import { linkCookie } from '#lib/contracts/auth/credentials.ts';
import { logIn as contract } from '#lib/contracts/auth/sign-in.ts';

export const handler = endpoint(contract, {
  run: async ({ context, body, cookies: sent }) => {
    const { user, cookies } = await logIn(context, body, sent[linkCookie]);
    return { body: { user: userView(user) }, cookies };
  },
});
