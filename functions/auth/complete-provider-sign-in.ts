import { endpoint } from '../../lib/api/endpoint.ts';
import { completeProviderSignIn as contract } from '../../lib/contracts/auth/complete-provider-sign-in.ts';
import { startedSignInCookie } from '../../lib/contracts/auth/sign-in-cookies.ts';
import { completeSignIn } from '../../lib/providers/complete-sign-in.ts';

export const handler = endpoint(contract, {
  run: async ({ context, query, cookies: sent }) => {
    const { location, cookies } = await completeSignIn(context, query, sent[startedSignInCookie]);
    return { body: null, headers: { location }, cookies };
  },
});
