import { endpoint } from '#lib/api/endpoint.ts';
import { startedSignInCookie } from '#lib/contracts/auth/credentials.ts';
import { completeProviderSignIn as contract } from '#lib/contracts/auth/providers.ts';
import { completeSignIn } from '#lib/providers/complete-sign-in.ts';

export const handler = endpoint(contract, {
  run: async ({ context, params, query, cookies: sent }) => {
    const returned = { ...query, orgSlug: params.orgSlug };
    const { location, cookies } = await completeSignIn(context, returned, sent[startedSignInCookie]);
    return { body: null, headers: { location }, cookies };
  },
});
