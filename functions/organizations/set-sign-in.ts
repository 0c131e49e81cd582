import { endpoint } from '#lib/api/endpoint.ts';
import { setSignIn as contract } from '#lib/contracts/organizations/sign-in-settings.ts';
import { signInView } from '#lib/providers/provider.ts';
import { readBeforeSetting, setSignIn } from '#lib/providers/set-sign-in.ts';

export const handler = endpoint(contract, {
  fetch: ({ params, body }) => readBeforeSetting(params.orgId, body),
  run: async ({ context, body, fetched }) => ({
    body: { signIn: await signInView(await setSignIn(context, body, fetched), context.organization.slug) },
  }),
});
