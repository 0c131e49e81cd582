import { completeLogin } from '#lib/accounts/complete-login.ts';
import { userView } from '#lib/accounts/current-user.ts';
import { endpoint } from '#lib/api/endpoint.ts';
import { linkCookie } from '#lib/contracts/auth/credentials.ts';
import { completeLogin as contract } from '#lib/contracts/auth/sign-in.ts';

export const handler = endpoint(contract, {
  run: async ({ context, body, cookies: sent }) => {
    const { user, cookies } = await completeLogin(context, body, sent[linkCookie]);
    return { body: { user: userView(user) }, cookies };
  },
});
