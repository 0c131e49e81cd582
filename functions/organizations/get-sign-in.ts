import { endpoint } from '#lib/api/endpoint.ts';
import { getSignIn as contract } from '#lib/contracts/organizations/sign-in-settings.ts';
import { redirectUri } from '#lib/providers/browser.ts';
import { readSignIn, signInView } from '#lib/providers/provider.ts';

export const handler = endpoint(contract, {
  run: async ({ context }) => {
    const signIn = await readSignIn(context);
    const { slug } = context.organization;
    const view = signIn === undefined ? null : await signInView(signIn, slug);
    return { body: { redirectUri: await redirectUri(slug), signIn: view } };
  },
});
