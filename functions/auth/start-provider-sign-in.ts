import { endpoint } from '#lib/api/endpoint.ts';
import { startProviderSignIn as contract } from '#lib/contracts/auth/providers.ts';
import { startSignIn } from '#lib/providers/start-sign-in.ts';

export const handler = endpoint(contract, {
  run: async ({ context, params, query }) => {
    const { location, cookies } = await startSignIn(context, { ...query, orgSlug: params.orgSlug });
    return { body: null, headers: { location }, cookies };
  },
});
